"""The five documents that this project comes from: one test a promise, named after it."""
