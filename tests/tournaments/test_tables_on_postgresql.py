"""Tables of the house in a store on a PostgreSQL server."""

from __future__ import annotations

from tests.house.hosting import JsonClient
from tests.house.serving import run
from tests.house.test_host_restart import answer, come_back, host
from tests.tournaments.conftest import PostgresqlServer
from wateringhole.games.porrinha.bots.zero import Zero


def test_games_of_a_killed_host_continue(own_server: PostgresqlServer) -> None:
    options = ("--games", "2", "--players", "2", "--bots", "zero", "--start-delay", "0.1")

    async def restart() -> str:
        async with host("porrinha", own_server.url, *options) as first:
            ada = await JsonClient.sign_up(first.port, "Ada", Zero)
            ada.received.clear()
            await answer(ada, 2)
            await first.kill()
            await ada.close()
        async with host("porrinha", own_server.url, *options) as second:
            again, number = await come_back(second, ada, len(ada.received))
            assert number == len(ada.received) - 1, "the open request comes again"
            await again.play()
            return await second.output()

    output = run(restart(), 90)
    assert output.count("player: Ada") == 2
