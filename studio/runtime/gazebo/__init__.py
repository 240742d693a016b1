"""Connections to real Gazebo servers: gz-transport (Fortress to Jetty) and Gazebo classic 11.

`schema` makes message classes from compact tables; `gz_messages` is the table of gz-transport's families;
`gz_transport` is the protocol: names, discovery, and a node with topics and services.
"""
