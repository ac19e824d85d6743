"""Hot loops of the agents, compiled by numba: raw integers in, raw integers out, the GIL released.

Importing a module of this package loads its compiled code, or compiles it when there is none yet, which
takes seconds; `python -m engine.agents` does that in a process of its own.
"""
