"""The protocol of Gazebo classic 11: TCP connections, a master that knows who publishes, protobuf messages.

wire <- connection <- client
"""
