"""The connections to players and pages.  Transports know nothing about rules."""
