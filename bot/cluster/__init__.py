"""Searches on other machines: the workers of a Dask cluster. No Dask is imported until one is named."""
