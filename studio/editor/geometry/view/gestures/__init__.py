"""What a hand does in the view from press to release: one class for each, ending in one edit or none."""
