"""Views: what the command line prints of a result; they compute nothing."""
