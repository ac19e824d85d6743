"""Side-by-side timings, each printed as a table; results that matter are kept in bench/results.md."""
