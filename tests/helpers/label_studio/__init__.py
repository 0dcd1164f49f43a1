"""Label Studio on this machine: the server, its projects, people who annotate in a browser."""
