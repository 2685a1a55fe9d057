"""Tests of the parcel counter."""
