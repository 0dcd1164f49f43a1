"""A Hub on this machine: the server, its faults, releases to publish there."""
