"""Tests that compare the code with its behaviour at one version, kept as data under `tests/golden/v1`."""
