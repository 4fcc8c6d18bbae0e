"""Computed strategies: exact for two players, approximate for more.

`solution` holds the exact equilibrium of two-player Porrinha, `cfr` the approximation for three or
more.  They import NumPy and SciPy (the extra ``solve``) only to solve what is not in the cache.
"""
