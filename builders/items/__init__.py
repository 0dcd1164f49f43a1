"""Item analysis: what the answers of several models say of items, instead of what items say of models."""
