"""The docks around the document, and the layouts they are put into."""
