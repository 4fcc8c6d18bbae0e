// What a player may ask, from its factory call to its end.  The names and their meaning are those
// of the original game; players include this file and need nothing else of the core.
//
// Every answer is that of the moment of the call in which it is asked.  A seat that does not exist
// is answered with what stands for "nothing" there.
#ifndef CORE_UTIL_H
#define CORE_UTIL_H

#include <vector>

class Player;

namespace core {

// In place of a guess.
enum {
    PENDING_GUESS = -1, // has not spoken yet
    NOT_PLAYING = -2,   // sits the round out
    INVALID_GUESS = -3  // said something void
};

// Known from the first factory call on.

// Players at the table, those of other programs included.
int global_player_count();

// Known from begin_game to end_game; they change when a round is settled, before end_round.

// Players of this game, in or out.
int player_count();
// Players still in.
int active_player_count();
// Sticks that all players still own, shown or not.
int chopstick_count();
// Sticks owned, not the hand shown.
int chopsticks(int seat);
const std::vector<int>& chopsticks();
// The seat of a player, meant for index(this); -1 for a stranger.
int index(const Player* player);
// Who sits there: oneself, or somebody of whom only the name is known, the same object through all
// games.  It is not meant to be played through.
const Player* player(int seat);

// What was said in the current round, or in the last one.

int guess(int seat);
const std::vector<int>& guess();
// Not negative, not above the table, not yet said.
bool valid_guess(int value);

// Known from one end_round to the next.

// Hand shown in the last settled round; -1 if there was none.
int hand(int seat);
const std::vector<int>& hand();
// The seat that was right in the last settled round; -1 if nobody was.
int last_winner();

} // namespace core

#endif
