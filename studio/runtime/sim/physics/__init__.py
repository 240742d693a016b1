"""Steps of a world on MuJoCo, and what sensors see of it."""
