#include "core/command_line.h"

#include <cstdio>
#include <set>

namespace core {

namespace {

const char USAGE[] =
    "A program that plays Porrinha at a Watering Hole table, on standard input and output.\n"
    "\n"
    "  wateringhole play porrinha random \"cmd:THIS-PROGRAM player\"\n"
    "\n"
    "Its words are those of the original game:\n"
    "\n"
    "  name              play that player\n"
    "  [name] words...   play that player; all words up to the next [name] are its own\n"
    "  --list            the names of the players\n"
    "  --help            this text\n"
    "\n"
    "The table decides on sticks, games and what is shown: --chopsticks N, --games N and\n"
    "--disable-game-output are read and ignored.\n";

Orders done(int status, const std::string& output = "") {
    Orders orders;
    orders.is_done = true;
    orders.status = status;
    orders.output = output;
    return orders;
}

Orders refused(const std::string& why) {
    remark(why + "; --help says what can be said");
    return done(1);
}

std::string names_in_order(const Catalogue& catalogue) {
    std::set<std::string> names;
    for (const auto& entry : catalogue) {
        names.insert(entry.first);
    }
    std::string list;
    for (const std::string& name : names) {
        list += name + "\n";
    }
    return list;
}

// The factory of that name; of two with the same name the first one; null: there is none.
PlayerFactory find(const Catalogue& catalogue, const std::string& name) {
    for (const auto& entry : catalogue) {
        if (name == entry.first) {
            return entry.second;
        }
    }
    return nullptr;
}

bool is_bracketed(const std::string& word) {
    return word.size() >= 2 && word.front() == '[' && word.back() == ']';
}

} // namespace

Orders read_command_line(cmdline::args& args, const Catalogue& catalogue) {
    Orders orders;
    bool in_brackets = false; // plain words belong to the last player
    while (args.size() > 0) {
        const std::string word = args.next();
        if (in_brackets && !is_bracketed(word)) {
            orders.players.back().args.push_back(word);
            continue;
        }
        if (word == "--list") {
            return done(0, names_in_order(catalogue));
        }
        if (word == "--help") {
            return done(0, USAGE);
        }
        if (word == "--chopsticks" || word == "--games") {
            if (args.size() == 0) {
                return refused(word + " needs a number behind it");
            }
            remark(word + " " + args.next() + " is ignored: the table decides");
            continue;
        }
        if (word == "--disable-game-output") {
            remark(word + " is ignored: the table decides");
            continue;
        }
        if (word.empty()) {
            remark("an empty word is ignored");
            continue;
        }
        in_brackets = is_bracketed(word);
        const std::string name = in_brackets ? word.substr(1, word.size() - 2) : word;
        const PlayerFactory make = find(catalogue, name);
        if (make == nullptr) {
            return refused("there is no player or option " + word);
        }
        Chosen chosen = {name, make, args.subarg(0)};
        chosen.args.program_name(name);
        orders.players.push_back(std::move(chosen));
    }
    if (orders.players.empty()) {
        return refused("no player is named");
    }
    return orders;
}

void remark(const std::string& text) {
    std::fprintf(stderr, "porrinha: %s.\n", text.c_str());
}

} // namespace core
