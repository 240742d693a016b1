"""What every part of the window stands on: settings, files that change, processes of its own, work put off."""
