"""The store of tournaments: an SQLite file, or a PostgreSQL server by URL.  Both have the same schema.

A tournament is planned as series.  A process claims series, plays them and commits all games of
a series with their records in one transaction; only then do they count.  So a process that is killed
leaves only complete series behind, and leases that others take over.

Each module imports only those above it:

==============  ====================================================================
`schema`        the tables, and the upgrades of earlier stores
`queries`       the frequent queries, built once
`rows`          what the store returns
`locations`     paths and URLs
`backup`        copies of a store
`database`      connections, transactions, errors in one sentence
`leases`        which process plays which series
`withdrawals`   players that miss their further games
`reading`       the reading half of the store
`store`         the store
==============  ====================================================================
"""

from wateringhole.tournaments.store.database import StoreLost, StoreUnavailable
from wateringhole.tournaments.store.leases import LEASE_SECONDS
from wateringhole.tournaments.store.locations import default_store, without_password
from wateringhole.tournaments.store.rows import Planned, Progress, StoredGame, StoredSeries, StoredTournament
from wateringhole.tournaments.store.schema import VERSION
from wateringhole.tournaments.store.store import Store

__all__ = [
    "LEASE_SECONDS",
    "VERSION",
    "Planned",
    "Progress",
    "Store",
    "StoreLost",
    "StoreUnavailable",
    "StoredGame",
    "StoredSeries",
    "StoredTournament",
    "default_store",
    "without_password",
]
