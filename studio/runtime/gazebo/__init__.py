"""Connections to real Gazebo servers: gz-transport (Fortress to Jetty) and Gazebo classic 11.

`schema` makes message classes from compact tables; `gz_messages` and `classic_messages` are those tables.
`gz_transport` and `classic` are the protocols, `server` is what both kinds of servers do for Studio, and
`local_classic` gets and runs a server.
"""
