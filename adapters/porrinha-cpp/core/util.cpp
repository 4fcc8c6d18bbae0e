#include "core/util.h"

#include "core/table.h"

namespace core {

namespace {

template <typename T>
T at(const std::vector<T>& things, int seat, T nothing) {
    return seat >= 0 && seat < static_cast<int>(things.size()) ? things[seat] : nothing;
}

} // namespace

Table& table() {
    static Table the_table;
    return the_table;
}

int global_player_count() {
    return table().global_player_count;
}

int player_count() {
    return table().player_count;
}

int active_player_count() {
    return table().active_player_count;
}

int chopstick_count() {
    return table().chopstick_count;
}

int first_guesser() {
    return table().first_guesser;
}

int chopsticks(int seat) {
    return at(table().chopsticks, seat, 0);
}

const std::vector<int>& chopsticks() {
    return table().chopsticks;
}

int index(const Player* player) {
    const std::vector<const Player*>& seats = table().seats;
    for (int seat = 0; seat < static_cast<int>(seats.size()); ++seat) {
        if (player != nullptr && seats[seat] == player) {
            return seat;
        }
    }
    return -1;
}

const Player* player(int seat) {
    return at<const Player*>(table().seats, seat, nullptr);
}

int guess(int seat) {
    return at<int>(table().guess, seat, NOT_PLAYING);
}

const std::vector<int>& guess() {
    return table().guess;
}

bool valid_guess(int value) {
    if (value < 0 || value > table().chopstick_count) {
        return false;
    }
    for (int said : table().guess) {
        if (said == value) {
            return false;
        }
    }
    return true;
}

int hand(int seat) {
    return at(table().hand, seat, -1);
}

const std::vector<int>& hand() {
    return table().hand;
}

int last_winner() {
    return table().last_winner;
}

} // namespace core
