// Where one player sits, alone in a process: calls come in, its answers go out.
#ifndef CORE_BOOTH_H
#define CORE_BOOTH_H

#include "core/command_line.h"

namespace core {

// Serve a player until nothing more comes in; never returns.
//
// In come messages of the table, one a line.  Out go these lines, of which at most one is for each
// request:
//
//     answer ID NUMBER     what the player said
//     pass ID              the core does not know this request
//     failed ID TEXT       the player threw, at this request or at a notice before it
//     gone TEXT            the player could not be made
[[noreturn]] void serve(Chosen& chosen, int in, int out);

} // namespace core

#endif
