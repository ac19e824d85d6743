"""The demo: the same bot in a simulated Discord, played in the browser."""
