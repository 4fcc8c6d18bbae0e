"""Strategies that are computed instead of written: exact for two players, approximate for more.

`porrinha` holds the exact equilibrium of two-player Porrinha, `cfr` the approximation for
three or more.  Importing them costs nothing; NumPy and SciPy (the extra ``solve``) are
imported when something has to be solved and is not in the cache yet.
"""
