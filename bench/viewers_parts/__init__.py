"""What the benchmark of the viewers measures in processes of their own."""
