"""The verbs of `studio ctl`, a module for each subject."""
