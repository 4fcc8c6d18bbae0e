// The queries that a player may make, from its factory call to its destructor.  Names and meaning are
// those of the original game.  Players include only this file of the core.
//
// Every query returns the value at the time of the player's current call.  For a seat that does not
// exist, it returns its value for "none".
#ifndef CORE_UTIL_H
#define CORE_UTIL_H

#include <vector>

class Player;

namespace core {

// Used in place of a guess.
enum {
    PENDING_GUESS = -1, // has not guessed yet
    NOT_PLAYING = -2,   // sits out the round
    INVALID_GUESS = -3  // guessed something void
};

// Available from the first factory call on.

// Players at the table, including those of other programs.
int global_player_count();

// Available from begin_game to end_game.  They change when a round is finished, before end_round.

// Players of this game, including those who are out.
int player_count();
// Players still in the game.
int active_player_count();
// Sticks that all players together still own, shown or not.
int chopstick_count();
// The seat that guesses first in this round; from end_round on, in the next round.  -1 before the
// first game.
int first_guesser();
// Sticks owned, not those in the hand.
int chopsticks(int seat);
const std::vector<int>& chopsticks();
// The seat of a player, intended for index(this); -1 for an unknown player.
int index(const Player* player);
// The player in a seat: the caller itself, or an object that has only a name and stays the same in
// all games.  Do not call its other methods.
const Player* player(int seat);

// The guesses of the current round, or of the last one.

int guess(int seat);
const std::vector<int>& guess();
// Whether a value is not negative, not above the number of sticks, and not yet guessed.
bool valid_guess(int value);

// Available from one end_round to the next.

// The hand shown in the last finished round; -1 for none.
int hand(int seat);
const std::vector<int>& hand();
// The seat that was right in the last finished round; -1 for none.
int last_winner();

} // namespace core

#endif
