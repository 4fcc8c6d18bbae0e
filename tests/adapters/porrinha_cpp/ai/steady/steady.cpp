#include <algorithm>
#include <stdexcept>

#include "core/util.h"
#include "player.h"

namespace steady {

class Steady : public Player {
public:
    Steady(const std::string& name, int keep) : name_(name), keep_(keep) {}

    std::string name() const override { return name_; }
    void begin_game() override {}
    int hand() override {
        shown_ = std::min(keep_, core::chopsticks(core::index(this)));
        return shown_;
    }
    // Guess its own hand, or the next free sum above.
    int guess() override {
        int sum = shown_;
        while (!core::valid_guess(sum)) {
            sum = (sum + 1) % (core::chopstick_count() + 1);
        }
        return sum;
    }
    void end_round() override {}
    void end_game() override {}

private:
    std::string name_;
    int keep_;
    int shown_ = 0;
};

Player* factory(cmdline::args&& args) {
    std::string name = args.program_name();
    int keep = 1;
    while (args.size() > 0) {
        const std::string word = args.next();
        if (word == "--name") {
            name = args.next();
        } else if (word == "--keep") {
            args >> keep;
        } else {
            throw std::invalid_argument("steady does not know the argument " + word);
        }
    }
    return new Steady(name, keep);
}

Player* still_factory(cmdline::args&& args) {
    return new Steady(args.program_name(), 0);
}

} // namespace steady
