"""Players at a distance: what travels over connections, and the loops that carry it."""
