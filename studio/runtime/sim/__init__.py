"""The embedded simulator: worlds, vehicles from their assemblies, devices, on MuJoCo."""
