"""What `studio info` tells of each sort of thing."""
