// The state of the game as the player knows it: the booth writes it, the queries of util.h read it.
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include <vector>

class Player;

namespace core {

// Initialized for the time before the first game.  Lists are by seat.  They keep their address,
// because players may hold references to them.
struct Table {
    int global_player_count = 0;
    int player_count = 0;
    int active_player_count = 0;
    int chopstick_count = 0;
    int first_guesser = -1;
    int last_winner = -1;
    std::vector<int> chopsticks;
    std::vector<int> guess;
    std::vector<int> hand;
    std::vector<const Player*> seats;
};

// The only instance: a process plays one seat.
Table& table();

} // namespace core

#endif
