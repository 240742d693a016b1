"""A picture of a viewer as a PNG file."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtGui import QImage, QImageWriter, QPixmap


def save_picture(picture: QPixmap | QImage, path: Path) -> str:
    """Returns why it cannot be written, or nothing. A name without the ending gets it."""
    path = path if path.suffix.lower() == ".png" else path.with_name(f"{path.name}.png")
    writer = QImageWriter(str(path), b"png")
    image = picture.toImage() if isinstance(picture, QPixmap) else picture
    if writer.write(image):
        return ""
    return f"{path} cannot be written: {writer.errorString()}"
