"""What the window says and asks while a system runs."""
