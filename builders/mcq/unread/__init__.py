"""Unread options: how likely a reader would refuse what nobody has read."""
