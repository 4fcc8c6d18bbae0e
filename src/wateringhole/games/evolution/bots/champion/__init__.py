"""The champion: a network that learned by self-play, and the player that asks it."""
