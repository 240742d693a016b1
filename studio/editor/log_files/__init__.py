"""Logs in the window: recording one, bringing one in from elsewhere, opening and playing one."""
