// The interface of the core for the game's `main`.
#ifndef CORE_GAME_H
#define CORE_GAME_H

#include <utility>
#include <vector>

// Both belong to the game's repository.  The first must define cmdline::args.
#include "cmdline/args.h"
#include "player.h"

// The game's repository may declare it too, with the same type.
typedef Player* (*PlayerFactory)(cmdline::args&&);

namespace core {

// Run the players given on the command line, with messages from `wateringhole` on standard input and
// output.  Return the exit status of the program.
int play(cmdline::args&& args, std::vector<std::pair<const char*, PlayerFactory>> players);

} // namespace core

#endif
