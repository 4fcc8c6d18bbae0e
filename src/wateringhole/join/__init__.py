"""Playing at a remote host: `wateringhole join`."""
