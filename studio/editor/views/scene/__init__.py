"""A scene in three dimensions, painted by OpenGL into a picture, or without it by Qt's painter."""
