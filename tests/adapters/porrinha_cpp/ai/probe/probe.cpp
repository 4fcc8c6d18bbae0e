// Makes every query at every call, and logs the results as JSON Lines.
#include <fstream>

#include "core/util.h"
#include "player.h"

namespace probe {

void write(std::ostream& log, const std::vector<int>& list) {
    log << '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
        log << (i ? "," : "") << list[i];
    }
    log << ']';
}

class Probe : public Player {
public:
    explicit Probe(const std::string& file) : log_(file.c_str()) { note("factory"); }
    ~Probe() { note("destructor"); }

    std::string name() const override { return "p\xF3rrinha"; } // Latin-1
    void begin_game() override {
        ++games_;
        note("begin_game");
    }
    int hand() override {
        ++rounds_;
        note("hand");
        return rounds_ % (core::chopsticks(core::index(this)) + 1);
    }
    int guess() override {
        note("guess");
        int sum = rounds_ * 5 % (core::chopstick_count() + 1);
        while (!core::valid_guess(sum)) {
            sum = (sum + 1) % (core::chopstick_count() + 1);
        }
        return sum;
    }
    void end_round() override { note("end_round"); }
    void end_game() override { note("end_game"); }

private:
    void note(const char* call) {
        log_ << "{\"call\":\"" << call << "\",\"games\":" << games_;
        log_ << ",\"global_player_count\":" << core::global_player_count();
        log_ << ",\"player_count\":" << core::player_count();
        log_ << ",\"active_player_count\":" << core::active_player_count();
        log_ << ",\"chopstick_count\":" << core::chopstick_count();
        log_ << ",\"chopsticks\":";
        write(log_, core::chopsticks());
        log_ << ",\"guess\":";
        write(log_, core::guess());
        log_ << ",\"hand\":";
        write(log_, core::hand());
        log_ << ",\"last_winner\":" << core::last_winner();
        log_ << ",\"first_guesser\":" << core::first_guesser();
        log_ << ",\"index\":" << core::index(this);
        log_ << ",\"unknown_player\":" << core::index(nullptr);

        const int seats = core::player_count();
        std::vector<int> chopsticks, guesses, hands, valid, indexes;
        for (int seat = 0; seat < seats; ++seat) {
            chopsticks.push_back(core::chopsticks(seat));
            guesses.push_back(core::guess(seat));
            hands.push_back(core::hand(seat));
            indexes.push_back(core::index(core::player(seat)));
        }
        for (int sum = -1; sum <= core::chopstick_count() + 1; ++sum) {
            valid.push_back(core::valid_guess(sum));
        }
        log_ << ",\"by_seat\":[";
        write(log_, chopsticks);
        log_ << ',';
        write(log_, guesses);
        log_ << ',';
        write(log_, hands);
        log_ << ',';
        write(log_, indexes);
        log_ << "],\"valid_guess\":";
        write(log_, valid);
        log_ << ",\"names\":[";
        for (int seat = 0; seat < seats; ++seat) {
            // Omit its own name, which is Latin-1 and not valid JSON.
            const Player* other = core::player(seat);
            log_ << (seat ? "," : "") << '"' << (other == this ? "myself" : other->name()) << '"';
        }
        const bool is_absent = core::player(seats) == nullptr && core::player(-1) == nullptr;
        log_ << "],\"beyond\":[" << core::chopsticks(seats) << ',' << core::guess(-1) << ',' << core::hand(seats);
        log_ << ',' << is_absent << "]}" << std::endl;
    }

    std::ofstream log_;
    int games_ = 0;
    int rounds_ = 0;
};

Player* factory(cmdline::args&& args) {
    std::string file = "/dev/null";
    while (args.size() > 0) {
        if (args.peek() == "--log") {
            args.shift();
            file = args.next();
        } else {
            args.shift();
        }
    }
    return new Probe(file);
}

} // namespace probe
