"""Files: reading with every problem named, writing whole or not at all."""
