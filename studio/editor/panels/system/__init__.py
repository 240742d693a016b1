"""Console, processes, problems and the terminal."""
