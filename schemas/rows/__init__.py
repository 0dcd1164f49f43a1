"""Rows of published tables, and the columns of the frames that loaders return and builders take."""
