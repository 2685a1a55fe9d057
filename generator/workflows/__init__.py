"""What each command does, as plain functions from values to values."""
