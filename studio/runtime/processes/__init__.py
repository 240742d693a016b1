"""Starting, watching, restarting and ending the processes of a run."""
