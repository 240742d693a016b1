"""The visual geometry editor: a vehicle as a document of the window."""
