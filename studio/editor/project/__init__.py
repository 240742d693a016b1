"""One open project: its session, what is kept of it unsaved, and the questions about it."""
