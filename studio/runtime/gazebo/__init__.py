"""Connections to real Gazebo servers: gz-transport (Fortress to Jetty) and Gazebo classic 11.

`schema` makes message classes from compact tables; `gz_messages` and `classic_messages` are the tables of the two families;
`gz_transport` and `classic` are their protocols, `server` is what both kinds of servers do, `local_classic` gets and runs one.
"""
