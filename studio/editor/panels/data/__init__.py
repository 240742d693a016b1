"""Viewers of messages, images, states and causes; publishing and driving by hand."""
