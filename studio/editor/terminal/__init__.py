"""A terminal in the window: a process on a pseudo terminal, the screen that it writes, and the widget that shows it."""
