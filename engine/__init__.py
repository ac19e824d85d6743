"""Rules and agents of disc games; knows no Discord, no database, no wall clock of its own."""
