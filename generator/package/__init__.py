"""Scenario -> plan of a package -> directory: everything is decided before the first byte is written."""
