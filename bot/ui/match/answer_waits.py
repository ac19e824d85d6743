"""How long the answer to a press waits: for the agent's move, and for an earlier edit of its board.

Discord wants an answer within 3 seconds.
"""

from __future__ import annotations

AGENT_WAIT_SECONDS = 0.7
"""For the agent's move, so that one edit shows both."""

LOCK_WAIT_SECONDS = 1.5
"""For an earlier edit of the same board; after that the press is acknowledged without one."""
