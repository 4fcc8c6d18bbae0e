// Runs one player in its own process: reads the table's messages and writes the player's answers.
#ifndef CORE_BOOTH_H
#define CORE_BOOTH_H

#include "core/command_line.h"

namespace core {

// Serve a player until the input ends; never returns.
//
// The input is the table's messages, one per line.  The output is these lines, at most one for each
// request:
//
//     answer ID NUMBER     the player's answer
//     pass ID              the core does not know this request
//     failed ID TEXT       the player threw, at this request or at a notice before it
//     gone TEXT            the player could not be created
[[noreturn]] void serve(SelectedPlayer& selected, int in, int out);

} // namespace core

#endif
