"""Where a store is: the path of an SQLite file, or the URL of a PostgreSQL server."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from wateringhole.errors import OperationError, UsageError
from wateringhole.folders import data_folder

__all__ = ["default_store", "display_url", "parse_location", "without_password"]


def without_password(location: str) -> str:
    """Return a location with the password of a URL replaced by three stars."""
    if "://" not in location:
        return location
    url = _parsed(location)
    return location if url.password is None and "password" not in url.query else display_url(url)


def default_store() -> Path:
    """Return the default location: in ``XDG_DATA_HOME``, otherwise in ``~/.local/share``."""
    return data_folder() / "tournaments.sqlite"


def parse_location(location: str | Path | None, makes_file: bool) -> URL:
    """Return the URL of a store, and create the folder of a file.  A file must exist if `makes_file` is false."""
    if location is None:
        location = default_store()
    if isinstance(location, str) and "://" in location:
        url = _parsed(location)
        if url.get_backend_name() != "sqlite":
            return _server_url(url)
        location = _sqlite_file(url)
    path = Path(location)
    if path.name == ":memory:":
        raise _no_file(str(location))
    if not makes_file and not path.exists():
        raise OperationError(f"there is no store {path} yet; the first tournament creates it.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OperationError(f"the folder of the store {path} cannot be created: {error.strerror}.") from None
    return URL.create("sqlite", database=str(path))


def display_url(url: URL) -> str:
    """Return a URL without its password, which may be in its authority or in its query."""
    if "password" in url.query:
        url = url.update_query_dict({"password": "***"})
    return url.render_as_string(hide_password=True).replace("%2A%2A%2A", "***")


def _parsed(location: str) -> URL:
    try:
        return make_url(location)
    except (ArgumentError, ValueError):
        # The URL is not repeated, because it may contain a password.
        raise UsageError(
            "the URL of the store is malformed. Expected a form like postgresql://user@host/database."
        ) from None


def _sqlite_file(url: URL) -> str:
    if not url.database or url.query:
        raise _no_file(url.render_as_string())
    return url.database


def _no_file(location: str) -> UsageError:
    """Return an error for a database in memory, which would not outlive this process."""
    return UsageError(f"a store must be a file, and {location} is none. Give the file's name alone.")


def _server_url(url: URL) -> URL:
    backend = url.get_backend_name()
    if backend not in ("postgresql", "postgres"):
        raise UsageError(f"a store cannot be in {backend}. Give a file, or postgresql://user@host/database.")
    if find_spec("psycopg") is None:
        raise OperationError(
            "a store on PostgreSQL needs psycopg, not installed here. "
            "Install the extra with: pip install 'wateringhole[postgresql]'"
        )
    return url.set(drivername="postgresql+psycopg")
