"""What clients of a running system ask, and who answers (docs/protocol.md, section 12)."""
