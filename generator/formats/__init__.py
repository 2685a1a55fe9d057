"""The formats on disk become scenarios; discovery and selection."""
