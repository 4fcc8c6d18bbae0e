// The words behind the program's name: which players it plays, and with which arguments.
#ifndef CORE_COMMAND_LINE_H
#define CORE_COMMAND_LINE_H

#include <string>
#include <utility>
#include <vector>

#include "core/game.h"

namespace core {

typedef std::vector<std::pair<const char*, PlayerFactory>> Catalogue;

// A player that was chosen, before it is made.
struct Chosen {
    std::string name;
    PlayerFactory make;
    cmdline::args args;
};

// What the words ask for: an exit status at once, or players.
struct Orders {
    bool is_done = false;
    int status = 0;     // of the program,
    std::string output; // and what it prints, if it is done
    std::vector<Chosen> players;
};

// What is wrong, or cannot be done here, is told on standard error.
Orders read_command_line(cmdline::args& args, const Catalogue& catalogue);

// Tell something on standard error, as this program.
void remark(const std::string& text);

} // namespace core

#endif
