"""The scenario model: frozen values, no I/O; names and paths that are safe everywhere."""
