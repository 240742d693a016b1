"""The inspector: a page for each sort of thing that can be selected."""
