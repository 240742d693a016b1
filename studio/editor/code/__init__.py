"""Code in the window: documents, breakpoints, and what a debugger says."""
