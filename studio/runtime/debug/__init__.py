"""Debugging a running system: hosts under a debugger, the proxy that every debug client speaks to, and the freeze."""
