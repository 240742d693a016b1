"""The first page: projects, logs, vehicles and the guide."""
