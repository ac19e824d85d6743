"""What Discade remembers, in SQLite: tables, queries and migrations; knows no Discord."""
