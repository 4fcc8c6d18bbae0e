"""Code that fails at a line which records name.  A line that moves changes the pinned records."""


def fail(text: str) -> None:
    raise RuntimeError(text)


class Unspeakable:
    """Fails when it is looked at."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise RuntimeError("look away")
