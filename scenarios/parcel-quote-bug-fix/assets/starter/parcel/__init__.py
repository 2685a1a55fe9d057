"""Quotes for the parcel counter."""
