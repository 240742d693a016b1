"""Where the data comes from: the choice, what it brings about, and the warning when it is real."""
