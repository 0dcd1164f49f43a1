"""What every model of a row or file is built on: the frozen base, its field errors, its Arrow types."""
