"""The compiled players of Evolution."""
