"""Facts in shorthand, and an endpoint that serves them."""
