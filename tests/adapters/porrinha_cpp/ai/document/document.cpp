// Written from the documentation of the original core: it uses every call and every special value of a guess
// that is described there, and reports an unexpected value as an exception, which would get it thrown out.
#include <stdexcept>
#include <vector>

#include "core/util.h"
#include "player.h"

namespace document {

class Document : public Player {
public:
    Document() {
        // "Some of the attributes of the game will already be set when the first factory function is called."
        expect(core::global_player_count() >= 2, "the number of players is known in the factory");
    }

    std::string name() const override { return "document"; }

    void begin_game() override {
        expect(!is_playing_, "begin_game comes once for each game");
        is_playing_ = true;
        shown_.assign(core::player_count(), 0);
        expect(core::player(core::index(this)) == this, "the order of the players is fixed");
    }

    int hand() override {
        expect(core::chopsticks(core::index(this)) > 0, "only players still in the game are asked for a hand");
        hidden_ = core::chopsticks(core::index(this)) / 2;
        return hidden_;
    }

    // Guess its own hand and half of the other sticks, or the nearest free sum above.
    int guess() override {
        for (int seat = 0; seat < core::player_count(); ++seat) {
            const int guess = core::guess(seat);
            const bool is_special =
                guess == core::PENDING_GUESS || guess == core::NOT_PLAYING || guess == core::INVALID_GUESS;
            expect(is_special || (guess >= 0 && guess <= core::chopstick_count()), "a guess is a sum or special");
            expect((guess == core::NOT_PLAYING) == (core::chopsticks(seat) == 0), "players who are out do not guess");
        }
        expect(core::guess(core::index(this)) == core::PENDING_GUESS, "its own guess is pending");
        const int own = core::chopsticks(core::index(this));
        int sum = hidden_ + (core::chopstick_count() - own) / 2;
        while (!core::valid_guess(sum)) {
            sum = (sum + 1) % (core::chopstick_count() + 1);
        }
        return sum;
    }

    // Called even if it is not playing anymore, with the results of the round.
    void end_round() override {
        for (int seat = 0; seat < core::player_count(); ++seat) {
            shown_[seat] += core::hand(seat) > 0 ? core::hand(seat) : 0;
        }
        expect(core::last_winner() >= -1 && core::last_winner() < core::player_count(), "the winner is known");
        const int next = core::first_guesser();
        expect(core::active_player_count() < 2 || core::chopsticks(next) > 0, "the next first guesser is known");
    }

    void end_game() override {
        expect(is_playing_, "end_game comes once for each game");
        is_playing_ = false;
    }

private:
    static void expect(bool is_true, const char* what) {
        if (!is_true) {
            throw std::logic_error(what);
        }
    }

    bool is_playing_ = false;
    int hidden_ = 0;
    std::vector<int> shown_; // the sticks that each player has shown in this game
};

Player* factory(cmdline::args&&) {
    return new Document();
}

} // namespace document
