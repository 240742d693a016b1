"""What runs where: the plan made from a system, and how one plan becomes another."""
