"""Porrinha compiled: the game for simulations (`game.GAME`), and search by playing on.

`imagine_table` makes a whole table out of what one player sees; `roll_out` plays thousands of
continuations of a request and tells what came of each first choice.
"""

from wateringhole.games.porrinha.compiled.rollouts import imagine_table, roll_out
from wateringhole.sim.rollouts import ImaginedTable, Prospect

__all__ = ["ImaginedTable", "Prospect", "imagine_table", "roll_out"]
