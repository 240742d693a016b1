"""The layout Gazebo: servers at the left, the one that is chosen in the middle, the preview of a topic at the right.

`controller` makes the parts and is the only one that knows the docks. The parts take what they need from
`surroundings`, show what the Qt-free model of `studio.runtime.gazebo.connections` knows, four times a second while
they can be seen, and ask it without waiting.
"""
