"""The hot loops of the agents, compiled by numba: raw integers in, raw integers out, the GIL released.

Importing a module of this package loads its compiled code, or compiles it if there is none yet, which takes
seconds; `python -m engine.agents` compiles everything in a process of its own.
"""
