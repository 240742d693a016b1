"""The view: mouse, keys, gestures, and what shows while they last."""
