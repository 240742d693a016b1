"""Maps, scans and votes."""
