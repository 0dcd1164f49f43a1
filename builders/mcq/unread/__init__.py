"""Unread options: how likely it is that what nobody has read would be refused."""
