"""Where paths of causes begin and end that people ask for: at a sensor, and at a command to a vehicle."""

from __future__ import annotations

SENSORS = ("Range3d", "Image", "PointCloud2", "CompressedImage")
COMMANDS = ("Velocity", "Twist", "AckermannDriveStamped")


def is_sensor_type(type_name: str) -> bool:
    return type_name in SENSORS


def is_command_type(type_name: str) -> bool:
    return type_name in COMMANDS
