"""Cards, groups and remarks: what stands on the canvas."""
