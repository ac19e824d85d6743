"""Othello's compiled code: boards, searches, exact endings and the pattern evaluation."""
