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

// Stands for a player whose own object is in another process.  It has only a name.
class OtherPlayer : public Player {
public:
    explicit OtherPlayer(const std::string& name) : name_(name) {}
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

// Changes the list in place, because players may hold a reference.
void read_list(const json::Value& value, std::vector<int>& list, int nothing) {
    list.clear();
    for (const json::Value& item : value.items()) {
        list.push_back(to_int(item, nothing));
    }
}

// The seat that guesses first.  The view of a finished round holds the first guesser of that round,
// and the next one follows from the result: the winner, or the neighbour of the last first guesser; the
// next player after that one if it is out.
int first_guesser(const json::Value& view, const Table& known, bool rotates_after_win) {
    const int lead = to_int(view["lead"], -1);
    const int players = static_cast<int>(known.chopsticks.size());
    bool is_pending = to_int(view["round"], 0) == 0;
    for (int guess : known.guess) {
        is_pending = is_pending || guess == -1;
    }
    if (is_pending || players == 0 || lead < 0) {
        return lead;
    }
    const int winner = known.last_winner;
    const int start = (winner < 0 || rotates_after_win ? lead + 1 : winner) % players;
    for (int step = 0; step < players; ++step) {
        const int seat = (start + step) % players;
        if (known.chopsticks[seat] > 0) {
            return seat;
        }
    }
    return start;
}

// Call a player.  If it throws, return false and describe the exception in `why`.
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
    Booth(SelectedPlayer& selected, int out) : selected_(selected), out_(out) {}

    void handle(const json::Value& message) {
        const std::string type = message["type"].text("");
        if (type == "game") {
            start_game(message);
        } else if (player_ && type == "notice") {
            notice(message);
        } else if (player_ && type == "request") {
            answer(message);
        }
    }

private:
    void start_game(const json::Value& message) {
        seat_ = to_int(message["seat"], 0);
        rotates_after_win_ = message["rules"]["lead_after_win"].text("winner") == "rotate";
        failure_.clear();
        if (!player_) {
            create_player(static_cast<int>(message["names"].items().size()));
        }
    }

    // Called when the first game starts, because a factory may query the number of players.
    void create_player(int players) {
        table().global_player_count = players;
        // Old players share the C library's generator and never seed it.  Here each process has its
        // own, and each needs a different seed; that of the first seat equals the unseeded state.
        std::srand(seat_ + 1);
        std::string why;
        Player* created = nullptr;
        const auto create = [&] { created = selected_.make(std::move(selected_.args)); };
        if (attempt("the factory", why, create) && created == nullptr) {
            why = "the factory made no player";
        }
        if (!why.empty()) {
            send("gone " + why);
            std::exit(1);
        }
        player_.reset(created);
    }

    void notice(const json::Value& message) {
        const std::string name = message["notice"].text("");
        if (message["guests"].is(json::Value::LIST)) {
            set_seats(message["guests"]);
        }
        update(message["view"]);
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
            // The table expects no answer now, so report the failure at the next request.
            failure_ = why;
        }
    }

    void answer(const json::Value& message) {
        const std::string name = message["request"].text("");
        const std::string id = std::to_string(message["id"].whole(0));
        if (name != "hand" && name != "guess") {
            send("pass " + id);
            return;
        }
        std::string why;
        why.swap(failure_);
        int given = 0;
        if (why.empty()) {
            update(message["view"]);
            attempt(name, why, [&] { given = name == "hand" ? player_->hand() : player_->guess(); });
        }
        send(why.empty() ? "answer " + id + " " + std::to_string(given) : "failed " + id + " " + why);
    }

    void set_seats(const json::Value& guests) {
        Table& known = table();
        known.seats.clear();
        for (const json::Value& guest : guests.items()) {
            const int seat = static_cast<int>(known.seats.size());
            std::unique_ptr<Player>& other = others_[guest["number"].whole(seat)];
            if (!other) {
                other.reset(new OtherPlayer(guest["label"].text("")));
            }
            known.seats.push_back(seat == seat_ ? player_.get() : other.get());
        }
    }

    void update(const json::Value& view) {
        Table& known = table();
        known.player_count = to_int(view["player_count"], 0);
        known.active_player_count = to_int(view["active_player_count"], 0);
        known.chopstick_count = to_int(view["chopstick_count"], 0);
        known.last_winner = to_int(view["last_winner"], -1);
        read_list(view["chopsticks"], known.chopsticks, 0);
        read_list(view["guess"], known.guess, -1);
        read_list(view["hand"], known.hand, -1);
        known.first_guesser = first_guesser(view, known, rotates_after_win_);
    }

    void send(std::string line) {
        for (char& character : line) {
            if (character == '\n') {
                character = ' ';
            }
        }
        write_all(out_, line.substr(0, LONGEST_LINE / 8) + "\n");
    }

    SelectedPlayer& selected_;
    int out_;
    int seat_ = 0;
    bool rotates_after_win_ = false;
    std::string failure_;                                    // not yet reported
    std::map<long long, std::unique_ptr<Player>> others_; // by their numbers in the series
    std::unique_ptr<Player> player_;                         // destroyed first, because it may still use the others
};

} // namespace

void serve(SelectedPlayer& selected, int in, int out) {
    {
        Booth booth(selected, out);
        LineReader lines(in);
        std::string line;
        do {
            while (lines.next(line)) {
                booth.handle(json::read(line));
            }
        } while (lines.fill());
    }
    std::exit(0);
}

} // namespace core
