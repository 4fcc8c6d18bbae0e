"""The functions and classes that `import wateringhole` offers to programs and notebooks."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import json
import signal
import subprocess
import sys
import textwrap
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import wateringhole as wh
from tests.cli.running import called
from tests.conftest import ROOT
from wateringhole.api import _deal_choices
from wateringhole.game import DealOption
from wateringhole.games import evolution, porrinha
from wateringhole.registry import game_kind

OFFERED = """
    ComparisonResult Event Forfeit Game GameAnalysis GameKind OperationError Outcome PlayedGame Record Request Seat
    Standing TournamentResult UsageError Violation WateringHoleError __version__
    analyse check compare explain kinds new_game play replay serve simulate tournament
"""

EVOLUTION = """
    CARDS KIND PROFILES TRAITS
    Player StepwisePlayer DocumentPlayer Choice Hunt OwnState Greedy Random Silly
    ArrangeBoards DeclareCards FeedNext Draft Dealer Setup deal Rules
    BoardOrder Declaration NewBoard Growth Replacement Side
    Step GiveFood BuyBoard LayTrait ReplaceTrait GrowPopulation GrowBody
    Feeding AttackSpecies FeedPlants Pass StoreFat
    View PrivateState SeatedPlayer SpeciesBoard Trait TraitCard TraitType card
    Forfeit Outcome SeatAssignment PlayerLeft Seat Violation
    AnimalLost BoardGiven BoardsArranged CardsDeclared CardsDrawn DeckReshuffled DeclarationApplied FatBurned FatStored
    FeedingEnded FoodBagged FoodCut FoodRevealed GameEnded GameStarted PlayerForfeited PlayerPassed ReplacedTrait
    ResultAnnounced SpeciesAttacked SpeciesDied SpeciesFed SpeciesGrew SpeciesShrank TurnEnded TurnStarted YouAreOut
    YourTurnStarts
    SampledState RolloutResult sample_state rollout
"""

PORRINHA = """
    KIND MOST_ROUNDS PROFILES
    Player Queries QueryUnavailable SeriesPlayer Counter Equilibrium Random Zero
    INVALID_GUESS NO_SEAT NOT_PLAYING NO_HAND PENDING_GUESS
    GuessTotal HideSticks Fault NotANumber Core Setup deal next_setup Rules starting_sticks PlayerContext View
    Forfeit Outcome SeatAssignment PlayerLeft Seat Violation
    BeginGame EndGame EndRound AnswerRepaired GameEnded GuessSaid PlayerForfeited PorrinhaEvent PorrinhaOutcome
    RoundSettled RoundStarted
    SampledState RolloutResult sample_state rollout
"""

HEAVY = {"asyncio", "msgspec", "numba", "numpy", "rich", "scipy", "sqlalchemy", "starlette", "typer"}


class Plain(evolution.Player):
    def choose(self, request: evolution.DeclareCards) -> evolution.Declaration:
        return evolution.Declaration(food_card=0)

    def feed_next(self, request: evolution.FeedNext) -> evolution.Feeding:
        return request.options[0]


class Shy(porrinha.Player):
    def hand(self) -> int:
        return self.core.view.lowest_hand

    def guess(self) -> int:
        return next(filter(self.core.valid_guess, range(self.core.chopstick_count() + 1)))


class Seeded(porrinha.Random):
    """A player equal to the built-in one."""


@pytest.mark.parametrize(("package", "text"), [(wh, OFFERED), (evolution, EVOLUTION), (porrinha, PORRINHA)])
def test_packages_offer_exactly_these_names(package: Any, text: str) -> None:
    names = text.split()
    assert sorted(package.__all__) == sorted(names)
    for name in names:
        assert getattr(package, name) is not None
    assert set(names) <= set(dir(package))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        package.nothing  # noqa: B018


@pytest.mark.parametrize("package", ["evolution", "porrinha"])
def test_star_imports_work_without_the_extra_for_simulations(package: str) -> None:
    code = (
        "import sys; sys.modules['numba'] = None\n"
        f"from wateringhole.games.{package} import *\n"
        "assert 'Rules' in dir() and 'rollout' not in dir()\n"
        f"import wateringhole.games.{package} as game\n"
        "try: game.rollout\n"
        "except Exception as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert "the simulator needs numba, not installed here. Install the extra with: pip install" in ran.stdout


@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        ("wateringhole", {*HEAVY, "wateringhole.api", "wateringhole.game", "wateringhole.games"}),
        ("wateringhole.api", {*HEAVY - {"asyncio", "msgspec"}, "wateringhole.games", "wateringhole.tournaments.store"}),
        ("wateringhole.games.evolution", {*HEAVY - {"msgspec"}, "wateringhole.games.evolution.compiled"}),
        ("wateringhole.games.porrinha", {*HEAVY - {"msgspec"}, "wateringhole.games.porrinha.compiled"}),
    ],
)
def test_imports_load_nothing_heavy(imported: str, absent: set[str]) -> None:
    code = f"import sys, {imported}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert imported in ran.stdout.split()
    assert set(ran.stdout.split()) & absent == set()


@pytest.mark.parametrize("module", ["wateringhole", "wateringhole.api", "wateringhole.registry"])
def test_docstring_examples_print_their_output(module: str) -> None:
    done = doctest.testmod(importlib.import_module(module))
    assert (done.failed, done.attempted > 0) == (0, True)


def test_every_function_has_a_docstring_with_an_example() -> None:
    functions = [getattr(wh, name) for name in wh.__all__ if name[0].islower()]
    assert [each.__name__ for each in functions if ">>> " not in each.__doc__] == []


# Playing


def test_play_plays_the_same_games_as_the_command(tmp_path: Path) -> None:
    words = ["silly", "Ada=random", "random", "--games", "2", "--rotate-seats", "--seed", "7", "--rules", "reference"]
    ran = called("play", "evolution", *words, "--record", tmp_path / "command", "--json")
    assert ran.returncode == 0, ran.stderr
    games = wh.play(
        "evolution",
        ["silly", "Ada=random", "random"],
        games=2,
        rotate_seats=True,
        seed=7,
        rules="reference",
        record=tmp_path / "python",
    )
    assert [game.names for game in games] == [("silly", "Ada", "random"), ("Ada", "random", "silly")]
    assert [game.seed for game in games] == [7, 8]
    for game, reported in zip(games, json.loads(ran.stdout), strict=True):
        ranking = [(game.names[line.seat], line.place, line.score) for line in game.outcome.ranking]
        assert ranking == [(line["name"], line["place"], line["score"]) for line in reported["ranking"]]
        assert game.turns == reported["turns"]
    for number in (7, 8):
        one, other = (wh.replay(tmp_path / folder / f"evolution-{number}.jsonl") for folder in ("command", "python"))
        assert list(one) == list(other)


def test_classes_get_the_same_seeds_as_names() -> None:
    named = wh.play("porrinha", ["random", "random"], seed=3)
    given = wh.play("porrinha", [Seeded, "random"], seed=3)
    assert given.names == ("Seeded", "random")
    assert named.names == ("random 1", "random 2")
    assert list(named.record) != []
    assert [line.seat for line in given.outcome.ranking] == [line.seat for line in named.outcome.ranking]
    assert given.turns == named.turns


def test_classes_names_factories_and_objects_share_a_table() -> None:
    def made_here() -> Plain:
        return Plain()

    own = Plain()
    game = wh.play("evolution", [Plain, own, "silly", made_here], seed=1)
    assert game.names == ("Plain 1", "Plain 2", "silly", "made_here")
    assert game.outcome.thrown_out == ()
    assert game.turns > 0
    assert game.highlights is not None
    assert len(game.seconds) == 4


def test_one_game_is_an_object_and_several_are_a_list() -> None:
    assert isinstance(wh.play("porrinha", ["zero", "zero"], seed=1), wh.PlayedGame)
    assert len(wh.play("porrinha", ["zero", "zero"], seed=1, games=1)) == 1


def test_objects_stay_open_and_made_players_are_closed() -> None:
    closed = []

    class Closing(Shy):
        def close(self) -> None:
            closed.append(self)

    own = Closing()
    wh.play("porrinha", [own, Closing], games=2)
    assert len(closed) == 1
    assert closed[0] is not own


def test_a_time_limit_isolates_importable_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = _module(
        tmp_path,
        monkeypatch,
        "slow_player",
        """
        import time
        from wateringhole.games.porrinha import Player

        class Slow(Player):
            def hand(self):
                time.sleep(60)
        """,
    )
    game = wh.play("porrinha", [slow.Slow, "zero"], time_limit=0.2, seed=1)
    (thrown,) = game.outcome.thrown_out
    assert (game.names[thrown.seat], thrown.forfeit.reason) == ("Slow", "late")


# Records


def test_a_replay_has_a_repr_iterates_and_narrates(tmp_path: Path) -> None:
    game = wh.play("evolution", ["Ada=silly", "<b>=silly", "greedy"], seed=7, record=tmp_path)
    (file,) = tmp_path.iterdir()
    replayed = wh.replay(game.record)
    assert repr(replayed).startswith("<Record of evolution: Ada, <b>, greedy;")
    assert list(wh.replay(str(file))) == list(wh.replay(file.read_bytes())) == list(replayed)
    frame = replayed._repr_html_()
    assert frame.startswith('<iframe title="Replay: Ada, &lt;b&gt;, greedy"')
    text = replayed.narrate()
    assert "Ada" in text
    assert "[/" not in text
    assert "then you and greedy" in replayed.narrate(seat=1)
    with pytest.raises(wh.UsageError, match="seat 3: the game has the seats 0 to 2"):
        replayed.narrate(seat=3)


def test_a_changed_record_is_refused_with_its_file_name(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    recorded = wh.play("porrinha", ["zero", "zero"], seed=1).record_bytes or b""
    file.write_bytes(recorded.replace(b'"zero 1"', b'"hero 1"', 1))
    with pytest.raises(wh.OperationError, match=r"game\.jsonl: line \d+: the digest does not fit"):
        wh.replay(file)
    with pytest.raises(wh.OperationError, match="the file is empty"):
        wh.replay(b"")
    with pytest.raises(wh.OperationError, match=r"nowhere\.jsonl cannot be read"):
        wh.replay("nowhere.jsonl")
    with pytest.raises(wh.UsageError, match="7 is not a record"):
        wh.replay(7)  # type: ignore[arg-type]


# Tournaments, comparisons, checks


def test_a_tournament_of_local_classes_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    result = wh.tournament("porrinha", [Shy, "random", "zero"], games=30, table_size=2, life=1, seed=1)
    assert result.names == ("Shy", "random", "zero")
    assert len(result.games) == result.standings.games == 30
    with pytest.raises(wh.OperationError, match="the tournament left no records"):
        result.record(result.games[0])
    table = str(result.standings).splitlines()
    assert table[0].split() == ["rank", "player", "rating", "first,", "%", "mean", "place", "games"]
    assert {line.split()[1] for line in table[1:]} == {"Shy", "random", "zero"}
    assert str(result) == str(result.standings)
    assert list(tmp_path.iterdir()) == []
    again = wh.tournament("porrinha", [Shy, "random", "zero"], games=30, table_size=2, life=1, seed=1)
    assert str(again) == str(result)


def test_a_tournament_with_workers_is_kept_in_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = _module(
        tmp_path,
        monkeypatch,
        "importable_player",
        """
        from wateringhole.games.porrinha import Random

        class Mine(Random):
            pass
        """,
    )
    store = tmp_path / "club.sqlite"
    kept = wh.tournament("porrinha", [mine.Mine, "zero"], games=6, life=3, seed=1, workers=2, store=store)
    assert kept.number == 1
    assert kept.record(kept.games[0]).header.names in (("Mine", "zero"), ("zero", "Mine"))
    listed = json.loads(called("standings", "1", "--store", store, "--json").stdout)
    assert listed["games"]["played"] == 6
    assert listed["settings"]["players"] == [f"{tmp_path / 'importable_player.py'}:Mine", "zero"]
    alone = wh.tournament("porrinha", [mine.Mine, "zero"], games=6, life=3, seed=1)
    assert [game.places for game in alone.games] == [game.places for game in kept.games]


def test_compare_returns_the_verdict_of_the_command() -> None:
    result = wh.compare("porrinha", Shy, "zero", seed=1, max_games=200)
    assert result.verdict == "better"
    assert (result.new, result.old, result.games) == ("Shy", "zero", result.ahead + result.level + result.behind)
    assert str(result).startswith("Shy against zero: better; difference +")
    named = wh.compare("porrinha", "zero", "random", others=["counter"], seed=2)
    ran = called("compare", "porrinha", "zero", "random", "--with", "counter", "--seed", "2", "--json")
    reported = json.loads(ran.stdout)
    assert reported["verdict"] == named.verdict == "better"
    assert reported["games"] == named.games
    assert tuple(reported["interval"]) == named.interval


def test_check_finds_the_rule_that_an_importable_class_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hasty = _module(
        tmp_path,
        monkeypatch,
        "hasty_player",
        """
        from wateringhole.games.evolution import StepwisePlayer

        class Hasty(StepwisePlayer):
            def place_cards_on_boards(self, cards, boards, player, opponents):
                return cards[:1]
        """,
    )
    report = wh.check("evolution", hasty.Hasty)
    assert not report.is_fine
    assert {finding.kind for finding in report.findings if finding.is_problem} == {"illegal"}


def test_the_page_is_served_until_it_is_interrupted(tmp_path: Path) -> None:
    code = f"import wateringhole as wh; wh.serve(port=0, store={str(tmp_path / 's.sqlite')!r})"
    server = subprocess.Popen([sys.executable, "-u", "-c", code], stdout=subprocess.PIPE, text=True)
    with server:
        last_resort = threading.Timer(60, server.kill)
        last_resort.start()
        assert server.stdout is not None
        address = server.stdout.readline().split()[5]
        with urllib.request.urlopen(f"{address}api/lobby") as answer:
            assert answer.status == 200
        server.send_signal(signal.SIGINT)
        assert "Stopped." in server.stdout.read()
        last_resort.cancel()


# Games


def test_new_game_returns_the_game_of_its_rules() -> None:
    game = wh.new_game("evolution", 3, seed=7, rules=["reference"])
    same = evolution.Dealer(evolution.deal(3, evolution.PROFILES["reference"], 7))
    assert game.view(None) == same.view(None)
    assert {kind.name for kind in wh.kinds()} >= {"evolution", "porrinha"}
    rules = porrinha.Rules(sticks=1)
    assert wh.new_game("porrinha", 2, rules=rules).view(None) == porrinha.Core(porrinha.deal(2, rules)).view(None)


def test_deal_options_are_read_as_on_the_command_line() -> None:
    option = DealOption("deck", "The order.", "a number", int)
    kind = dataclasses.replace(game_kind("porrinha"), deal_options=(option,))
    assert _deal_choices(kind, {"deck": "12"}) == {"deck": 12}
    assert _deal_choices(kind, {"deck": [1, 2]}) == {"deck": [1, 2]}
    with pytest.raises(wh.UsageError, match=r"porrinha has no deal option 'cards'\. Choose from: deck\."):
        _deal_choices(kind, {"cards": 1})


def test_violations_are_explained() -> None:
    (request,) = wh.new_game("evolution", 3, seed=7).requests.values()
    problem = request.draft().add(evolution.GiveFood(9))
    assert isinstance(problem, wh.Violation)
    assert wh.explain("evolution", problem) == "there is no card 9: the hand has 4 cards"


# Mistakes

loose: Any = wh
"""The package for calls that a type checker refuses."""


def _local() -> type[Shy]:
    class Local(Shy):
        pass

    return Local


def _record() -> wh.Record:
    return wh.play("porrinha", ["zero", "random"], seed=1).record


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: loose.play("chess", ["zero"]), "'chess' is not an installed game. Choose from: "),
        (lambda: loose.play("porrinha", ["zero"]), "porrinha is for 2 to 1000 players; 1 were named."),
        (lambda: loose.play("porrinha", "zero"), "players are a list, e.g. ['random', 'random'], not 'zero'."),
        (lambda: loose.play("porrinha", ["zero", 7]), "7 is not a player of porrinha."),
        (lambda: loose.play("porrinha", ["zero", dict]), "derive it from wateringhole.games.porrinha.Player."),
        (lambda: loose.play("porrinha", [Shy()] * 2), "one object cannot play two seats."),
        (lambda: loose.play("porrinha", ["zero", Shy()], time_limit=1), "an object plays in this process"),
        (lambda: loose.play("porrinha", ["zero", _local()], memory_limit=99), "at the top level of a module"),
        (lambda: loose.play("porrinha", ["zero"] * 2, rules="golden"), "golden"),
        (lambda: loose.play("porrinha", ["zero"] * 2, rules=["sticks=none"]), "sticks=none"),
        (lambda: loose.play("porrinha", ["zero"] * 2, rules=[7]), "rules=[7]: expected profiles and options"),
        (lambda: loose.play("porrinha", ["zero"] * 2, rules=evolution.Rules()), "are not rules of porrinha."),
        (lambda: loose.play("porrinha", ["zero"] * 2, rules=porrinha.Rules(sticks=-1)), "sticks=-1"),
        (lambda: loose.play("porrinha", ["zero"] * 2, deal={"hand": 1}), "porrinha has no deal option 'hand'."),
        (lambda: loose.play("porrinha", ["zero"] * 2, games=0), "games=0: expected"),
        (
            lambda: loose.play("porrinha", ["zero"] * 2, seed="x"),
            "seed='x': expected an integer of at most 64 bits, or",
        ),
        (lambda: loose.play("porrinha", ["zero"] * 2, time_limit=0), "time_limit=0: expected"),
        (lambda: loose.new_game("porrinha", 1), "porrinha is for 2 to 1000 players, not for 1."),
        (lambda: loose.tournament("porrinha", ["zero", _local()]), "at the top level of a module"),
        (lambda: loose.tournament("porrinha", ["zero", Shy()]), "Give its class or its name here."),
        (lambda: loose.tournament("porrinha", ["zero", "zero"], format="cup"), "format 'cup' does not exist."),
        (lambda: loose.tournament("porrinha", ["zero", "zero"], format="ladder"), "format 'ladder' has no end"),
        (lambda: loose.tournament("porrinha", ["zero", "zero"], workers=0), "workers=0: expected"),
        (lambda: loose.compare("porrinha", Shy(), "zero"), "every round makes new players."),
        (lambda: loose.compare("porrinha", "zero", "zero", max_games=0), "max_games=0: expected"),
        (lambda: loose.check("porrinha", _local()), "at the top level of a module"),
        (lambda: loose.check("porrinha", "zero", memory_limit=0), "memory_limit=0: expected"),
        (lambda: loose.analyse(7), "7 is not a record."),
        (lambda: loose.analyse(_record(), seat=2), "seat=2: expected a seat from 0 to 1, or None."),
        (lambda: loose.analyse(_record(), simulations=1), "simulations=1: expected"),
        (lambda: loose.serve(keep_games=0), "keep_games=0: expected"),
        (lambda: loose.simulate("porrinha", ["counter", "zero"], games=1), "counter"),
    ],
)
def test_mistakes_raise_usage_errors(call: Any, message: str) -> None:
    with pytest.raises(wh.UsageError) as refused:
        call()
    assert message in str(refused.value)


def test_a_class_of_the_running_program_plays_only_in_its_process(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import wateringhole as wh
            from wateringhole.games.porrinha import Random

            class Mine(Random):
                pass

            print(wh.tournament("porrinha", [Mine, "zero"], games=2, seed=1).names)
            try:
                wh.check("porrinha", Mine)
            except wh.UsageError as error:
                print(error)
            """
        )
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=True)
    assert ran.stdout.splitlines() == [
        "('Mine', 'zero')",
        "player Mine: it is defined in the running program or notebook, which no other process can import. "
        "Move it into a file, e.g. mine.py, and give 'mine.py:Mine', or import it from there.",
    ]


# Types


def test_type_checkers_see_real_signatures(tmp_path: Path) -> None:
    import mypy.api

    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """
            from typing import Any, assert_type

            import wateringhole as wh
            from wateringhole.games.evolution import Declaration, DeclareCards, Feeding, FeedNext, Player, rollout

            class Mine(Player):
                def choose(self, request: DeclareCards) -> Declaration:
                    return Declaration(food_card=0)

                def feed_next(self, request: FeedNext) -> Feeding:
                    assert_type(rollout(request)[0].score, float)
                    return request.options[0]

            game = wh.play("evolution", [Mine, Mine(), "silly"], seed=7)
            assert_type(game, wh.PlayedGame)
            assert_type(game.outcome, wh.Outcome)
            assert_type(game.record, wh.Record)
            assert_type(wh.play("evolution", [Mine, "silly"], games=2), list[wh.PlayedGame])
            assert_type(wh.replay("game.jsonl"), wh.Record)
            assert_type(wh.analyse("game.jsonl", seat=0), wh.GameAnalysis)
            assert_type(wh.tournament("evolution", [Mine, "silly"]), wh.TournamentResult)
            assert_type(wh.compare("evolution", Mine, "silly"), wh.ComparisonResult)
            assert_type(wh.new_game("evolution", 3), wh.Game[Any, Any, Any])
            assert_type(wh.simulate("evolution", ["silly"], 1).games, int)
            assert_type(wh.__version__, str)
            wh.play("evolution", [Mine], sed=7)
            wh.nothing
            """
        )
    )
    cache = ["--cache-dir", str(tmp_path / "cache"), "--no-incremental"]
    found, errors, _ = mypy.api.run(["--strict", *cache, "--follow-imports=silent", str(program)])
    assert errors == ""
    misspelled, unknown = (len(program.read_text().splitlines()) - below for below in (1, 0))
    assert {int(line.split(":")[1]) for line in found.splitlines() if "error:" in line} == {misspelled, unknown}, found


def test_types_are_shipped() -> None:
    assert (Path(wh.__file__).parent / "py.typed").exists()
    assert (ROOT / "pyproject.toml").read_text().count('packages = ["src/wateringhole"]') == 1


def _module(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str) -> Any:
    """Write a module into a folder and import it, as a program beside it would."""
    (folder / f"{name}.py").write_text(textwrap.dedent(code))
    monkeypatch.syspath_prepend(str(folder))
    module = importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, name, module)
    return module
