"""Finding, attaching to and listening to running systems, and what is trusted to run."""
