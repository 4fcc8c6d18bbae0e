"""The compiled rules of Evolution."""
