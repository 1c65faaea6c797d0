"""Headings found with a model: named by it, and taken only where they are printed."""
