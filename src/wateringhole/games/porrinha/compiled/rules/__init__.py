"""The compiled rules of Porrinha."""
