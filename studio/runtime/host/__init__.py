"""The process that components live in: it calls their handlers, one event at a time."""
