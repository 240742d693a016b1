"""Colours, plates and drags that all views share."""
