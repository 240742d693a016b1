"""Colours, fonts, icons, and the small widgets and dialogs that are used everywhere."""
