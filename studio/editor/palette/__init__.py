"""The palette: components and tools to put on the canvas."""
