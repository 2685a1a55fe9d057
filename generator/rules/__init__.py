"""A scenario becomes findings: one module per category, one small function per code."""
