"""The compiled players of Porrinha."""
