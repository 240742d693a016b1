"""The 3-D view of the geometry editor: camera, picking, gizmo and mounting."""
