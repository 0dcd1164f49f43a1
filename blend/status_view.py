"""The state of a collection as tables for a terminal."""
