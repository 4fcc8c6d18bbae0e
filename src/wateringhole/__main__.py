"""`python -m wateringhole` is `wateringhole`."""

from wateringhole.cli import main

main()
