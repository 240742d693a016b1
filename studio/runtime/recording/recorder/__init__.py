"""The process that records a running system."""
