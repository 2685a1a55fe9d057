"""From bytes on disk to documents with positions; file access that cannot leave the scenario directory."""
