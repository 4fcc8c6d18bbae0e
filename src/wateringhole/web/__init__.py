"""The page: tables for humans and bots, spectators, replays and standings.

The server knows no rules.  It shows views, requests, drafts and events.
"""
