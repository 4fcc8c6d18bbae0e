"""Everything Evolution says in English."""
