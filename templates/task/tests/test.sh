#!/bin/bash
exec python3 -I -B /tests/review
