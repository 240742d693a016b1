"""The contenders of the canvas benchmark, each in a process of its own."""
