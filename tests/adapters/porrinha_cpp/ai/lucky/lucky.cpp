// Plays at random, from a seed.
#include <random>

#include "core/util.h"
#include "player.h"

namespace lucky {

class Lucky : public Player {
public:
    explicit Lucky(unsigned seed) : generator_(seed) {}

    std::string name() const override { return "lucky"; }
    void begin_game() override {}
    int hand() override { return draw(core::chopsticks(core::index(this))); }
    int guess() override {
        int sum;
        do {
            sum = draw(core::chopstick_count());
        } while (!core::valid_guess(sum));
        return sum;
    }
    void end_round() override {}
    void end_game() override {}

private:
    // Use the generator's own numbers, because the library's distributions may differ between systems.
    int draw(int highest) { return static_cast<int>(generator_() % (highest + 1)); }

    std::mt19937 generator_;
};

Player* factory(cmdline::args&& args) {
    unsigned seed = 1;
    while (args.size() > 0) {
        if (args.next() == "--seed") {
            args >> seed;
        }
    }
    return new Lucky(seed);
}

} // namespace lucky
