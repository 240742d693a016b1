"""What is known of the running system, as values and signals. Nothing here paints."""
