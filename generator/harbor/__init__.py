"""Runs through Harbor: the agent that runs a command in any container, the job, and what its trials came to."""
