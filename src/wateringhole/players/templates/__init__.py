"""The files that `new-bot` writes: players that run as they are, for their authors to change."""
