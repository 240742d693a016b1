"""What a log tells about its run: circumstances, code, geometry, bookmarks; and copies with more of it."""
