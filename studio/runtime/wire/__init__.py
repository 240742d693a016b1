"""The bytes of events between processes, and the addresses of sockets (docs/protocol.md)."""
