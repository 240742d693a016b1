"""Running the test cases of a project, and telling what came of them."""
