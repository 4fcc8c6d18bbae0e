"""What `new-bot` writes."""
