#include "core/game.h"

#include "core/command_line.h"
#include "core/switchboard.h"
#include "core/wire.h"

namespace core {

int play(cmdline::args&& args, std::vector<std::pair<const char*, PlayerFactory>> players) {
    CommandLine command_line = read_command_line(args, players);
    if (command_line.is_done) {
        write_all(wire_out(), command_line.output);
        return command_line.status;
    }
    return Switchboard(command_line.players).run();
}

} // namespace core
