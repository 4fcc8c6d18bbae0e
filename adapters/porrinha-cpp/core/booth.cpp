#include "core/booth.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>

#include "core/json.h"
#include "core/table.h"
#include "core/wire.h"

namespace core {

namespace {

// Somebody whose own object is elsewhere.  It plays no part in any game.
class Stranger : public Player {
public:
    explicit Stranger(const std::string& name) : name_(name) {}
    std::string name() const override { return name_; }
    void begin_game() override {}
    int hand() override { return 0; }
    int guess() override { return -1; }
    void end_round() override {}
    void end_game() override {}

private:
    std::string name_;
};

int to_int(const json::Value& value, int otherwise) {
    const long long number = value.whole(otherwise);
    return number < INT_MIN || number > INT_MAX ? otherwise : static_cast<int>(number);
}

// In place, since players may hold a reference.
void read_list(const json::Value& value, std::vector<int>& list, int nothing) {
    list.clear();
    for (const json::Value& item : value.items()) {
        list.push_back(to_int(item, nothing));
    }
}

// Call a player.  What it throws is caught and told in `why`.
template <typename Call>
bool attempt(const std::string& where, std::string& why, Call call) {
    try {
        call();
        return true;
    } catch (const std::exception& error) {
        why = where + " threw: " + error.what();
    } catch (const std::string& text) {
        why = where + " threw: " + text;
    } catch (const char* text) {
        why = where + " threw: " + text;
    } catch (...) {
        why = where + " threw something that is no std::exception";
    }
    return false;
}

class Booth {
public:
    Booth(Chosen& chosen, int out) : chosen_(chosen), out_(out) {}

    void take(const json::Value& message) {
        const std::string type = message["type"].text("");
        if (type == "game") {
            begin(message);
        } else if (player_ && type == "notice") {
            notice(message);
        } else if (player_ && type == "request") {
            answer(message);
        }
    }

private:
    void begin(const json::Value& message) {
        seat_ = to_int(message["seat"], 0);
        failure_.clear();
        if (!player_) {
            make(static_cast<int>(message["names"].items().size()));
        }
    }

    // Only now, since a factory may ask for the number of players.
    void make(int players) {
        table().global_player_count = players;
        // Old players share the C library's generator and never seed it.  Here each has one of its
        // own, and they should not all draw the same; the first seat's is what it would be unseeded.
        std::srand(seat_ + 1);
        std::string why;
        Player* made = nullptr;
        if (attempt("the factory", why, [&] { made = chosen_.make(std::move(chosen_.args)); }) && made == nullptr) {
            why = "the factory made no player";
        }
        if (!why.empty()) {
            say("gone " + why);
            std::exit(1);
        }
        player_.reset(made);
    }

    void notice(const json::Value& message) {
        const std::string name = message["notice"].text("");
        if (message["guests"].is(json::Value::LIST)) {
            sit_down(message["guests"]);
        }
        look(message["view"]);
        std::string why;
        const bool is_fine = attempt(name, why, [&] {
            if (name == "begin_game") {
                player_->begin_game();
            } else if (name == "end_round") {
                player_->end_round();
            } else if (name == "end_game") {
                player_->end_game();
            }
        });
        if (!is_fine && failure_.empty()) {
            // Nobody waits for an answer now: it is told when the table asks next.
            failure_ = why;
        }
    }

    void answer(const json::Value& message) {
        const std::string name = message["request"].text("");
        const std::string id = std::to_string(message["id"].whole(0));
        if (name != "hand" && name != "guess") {
            say("pass " + id);
            return;
        }
        std::string why;
        why.swap(failure_);
        int said = 0;
        if (why.empty()) {
            look(message["view"]);
            attempt(name, why, [&] { said = name == "hand" ? player_->hand() : player_->guess(); });
        }
        say(why.empty() ? "answer " + id + " " + std::to_string(said) : "failed " + id + " " + why);
    }

    void sit_down(const json::Value& guests) {
        Table& known = table();
        known.seats.clear();
        for (const json::Value& guest : guests.items()) {
            const int seat = static_cast<int>(known.seats.size());
            std::unique_ptr<Player>& stranger = strangers_[guest["number"].whole(seat)];
            if (!stranger) {
                stranger.reset(new Stranger(guest["label"].text("")));
            }
            known.seats.push_back(seat == seat_ ? player_.get() : stranger.get());
        }
    }

    void look(const json::Value& view) {
        Table& known = table();
        known.player_count = to_int(view["player_count"], 0);
        known.active_player_count = to_int(view["active_player_count"], 0);
        known.chopstick_count = to_int(view["chopstick_count"], 0);
        known.last_winner = to_int(view["last_winner"], -1);
        read_list(view["chopsticks"], known.chopsticks, 0);
        read_list(view["guess"], known.guess, -1);
        read_list(view["hand"], known.hand, -1);
    }

    void say(std::string line) {
        for (char& character : line) {
            if (character == '\n') {
                character = ' ';
            }
        }
        write_all(out_, line.substr(0, LONGEST_LINE / 8) + "\n");
    }

    Chosen& chosen_;
    int out_;
    int seat_ = 0;
    std::string failure_;                                    // not yet told
    std::map<long long, std::unique_ptr<Player>> strangers_; // by their numbers in the series
    std::unique_ptr<Player> player_;                         // goes first: it may still ask for the others
};

} // namespace

void serve(Chosen& chosen, int in, int out) {
    {
        Booth booth(chosen, out);
        LineReader lines(in);
        std::string line;
        do {
            while (lines.next(line)) {
                booth.take(json::read(line));
            }
        } while (lines.fill());
    }
    std::exit(0);
}

} // namespace core
