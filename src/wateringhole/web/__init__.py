"""The page: tables for people and bots, watching, replays and standings.

The server knows no rules: it draws what views, requests, drafts and events say.
"""
