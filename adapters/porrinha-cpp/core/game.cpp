#include "core/game.h"

#include "core/command_line.h"
#include "core/switchboard.h"
#include "core/wire.h"

namespace core {

int play(cmdline::args&& args, std::vector<std::pair<const char*, PlayerFactory>> players) {
    Orders orders = read_command_line(args, players);
    if (orders.is_done) {
        write_all(wire_out(), orders.output);
        return orders.status;
    }
    return Switchboard(orders.players).run();
}

} // namespace core
