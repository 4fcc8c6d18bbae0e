"""The templates of `new-bot`."""
