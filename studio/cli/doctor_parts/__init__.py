"""What `studio doctor` examines."""
