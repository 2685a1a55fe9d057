"""A package and an agent command become a run directory with a verdict and its evidence."""
