"""What a release says of itself: manifest, names of files, datasheet, snapshots, findings."""
