"""What is true of matches, people and tournaments: values and pure transitions, no Discord, no database."""
