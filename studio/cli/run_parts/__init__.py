"""What a run shows, how it ends, and the keys of a terminal."""
