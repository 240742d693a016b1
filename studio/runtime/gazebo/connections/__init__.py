"""Connections to Gazebo servers as a person sees them: found, saved, connected, lost and back. Without Qt.

address <- finding, wires <- link <- connections (all of them); `mapping` says which topic feeds which port of a
project, `scene` what is in a world, `local` starts a server on this machine.
"""
