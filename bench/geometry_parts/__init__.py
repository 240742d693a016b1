"""What `bench geometry` measures with."""
