"""What `studio new` makes."""
