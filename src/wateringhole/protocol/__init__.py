"""The protocol of `docs/reference/protocol.md`, without input or output: the host's end and the player's end."""
