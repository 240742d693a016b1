"""system.xml as text beside the canvas."""
