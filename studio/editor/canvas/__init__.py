"""The canvas: a system drawn as cards and wires. It shows the model and changes it through edits alone."""
