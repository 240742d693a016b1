"""What the window shows while the system stands: frozen on an event, or at an event breakpoint."""
