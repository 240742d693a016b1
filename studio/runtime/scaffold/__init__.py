"""New components from a short description: for `studio new component` and for the window."""
