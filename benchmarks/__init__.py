"""Side-by-side measurements of Harborsmith and of what it is compared with: `make bench`."""
