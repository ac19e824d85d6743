"""Compiled searches of Pop Out."""
