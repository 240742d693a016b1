"""The protocol of gz-transport 8 to 15: UDP discovery, ZeroMQ sockets, protobuf messages.

names <- packets <- directory, multicast <- node
"""
