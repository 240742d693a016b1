"""Maps, images, scans and votes, painted."""
