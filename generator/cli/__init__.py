"""One module per command: options in, one call, text or JSON out, an exit code; no logic."""
