"""Searches in a bounded pool of threads and, where one is named, on the workers of a Dask cluster."""
