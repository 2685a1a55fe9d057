"""Compile agent-benchmark scenarios into sealed Harbor task packages, run them, and hand the work to a reviewer."""

__version__ = "0.1.0"
