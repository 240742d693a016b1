"""A new component made in the window: the dialog, its checks, and what happens on Create."""
