"""The reconciler's sources: one kind of message, or of anything else on Discord, per file."""
