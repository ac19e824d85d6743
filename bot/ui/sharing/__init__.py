"""Sharing: what one person sees alone, posted in the channel for all."""
