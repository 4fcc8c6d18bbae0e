"""What the code did at one version, kept as data under `tests/golden/v1`, and the tests that compare."""
