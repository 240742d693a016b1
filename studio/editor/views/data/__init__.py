"""Messages, arrays and values as trees, tables and knobs."""
