"""What panels are made of: the frame of a viewer, its bar, fields, and what an empty one says."""
