"""The window. The only part of Studio that knows Qt."""
