"""What is wrong, where, and what to write instead: findings, diagnostics, the catalogue of codes, reporters."""
