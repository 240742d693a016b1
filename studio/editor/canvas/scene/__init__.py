"""The scene: items and wires that follow the document."""
