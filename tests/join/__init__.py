"""Tests of `wateringhole join`."""
