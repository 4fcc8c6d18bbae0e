"""The house: tables, their seats and feeds, the lobby, and the store of running tables.

Tables know nothing about transports, and transports know nothing about rules.
"""
