// What is known about the table: the queries of util.h read it, the booth writes it.
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include <vector>

class Player;

namespace core {

// As it is before the first game.  Lists go by seat; they keep their place in memory, since players
// may hold references to them.
struct Table {
    int global_player_count = 0;
    int player_count = 0;
    int active_player_count = 0;
    int chopstick_count = 0;
    int last_winner = -1;
    std::vector<int> chopsticks;
    std::vector<int> guess;
    std::vector<int> hand;
    std::vector<const Player*> seats;
};

// The only one: a process plays one seat.
Table& table();

} // namespace core

#endif
