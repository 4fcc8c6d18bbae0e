"""Players of Evolution, and the two ways to write one."""
