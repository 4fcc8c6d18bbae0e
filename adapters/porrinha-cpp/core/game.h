// What the game's `main` needs of its core.
#ifndef CORE_GAME_H
#define CORE_GAME_H

#include <utility>
#include <vector>

// Both belong to the game's repository.  The first is meant to define cmdline::args.
#include "cmdline/args.h"
#include "player.h"

// The game's repository may declare it too, which does no harm: the type is the same.
typedef Player* (*PlayerFactory)(cmdline::args&&);

namespace core {

// Play at a Watering Hole table, which talks to us on standard input and output, the players that
// the command line names.  Returns the exit status of the program.
int play(cmdline::args&& args, std::vector<std::pair<const char*, PlayerFactory>> players);

} // namespace core

#endif
