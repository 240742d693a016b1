"""What clients, runtime and broker say to each other, as typed values (docs/protocol.md, sections 9 and 12)."""
