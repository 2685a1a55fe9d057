"""`python -m generator` is `harborsmith`."""

from generator.cli.main import main

main()
