// Parses the command line: the players to run and their arguments.
#ifndef CORE_COMMAND_LINE_H
#define CORE_COMMAND_LINE_H

#include <string>
#include <utility>
#include <vector>

#include "core/game.h"

namespace core {

typedef std::vector<std::pair<const char*, PlayerFactory>> Catalogue;

// A player named on the command line, before it is created.
struct SelectedPlayer {
    std::string name;
    PlayerFactory make;
    cmdline::args args;
};

// The parsed command line: an immediate exit status, or players.
struct CommandLine {
    bool is_done = false;
    int status = 0;     // exit status, if is_done
    std::string output; // text to print, if is_done
    std::vector<SelectedPlayer> players;
};

// Parse the command line.  Errors and warnings go to standard error.
CommandLine read_command_line(cmdline::args& args, const Catalogue& catalogue);

// Print a message to standard error, with the program's name.
void report(const std::string& text);

} // namespace core

#endif
