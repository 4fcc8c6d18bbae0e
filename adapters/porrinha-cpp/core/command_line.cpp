#include "core/command_line.h"

#include <cstdio>
#include <set>

namespace core {

namespace {

const char USAGE[] =
    "Plays Porrinha with Watering Hole, on standard input and output.\n"
    "\n"
    "  wateringhole play porrinha random \"cmd:THIS-PROGRAM player\"\n"
    "\n"
    "The arguments are those of the original game:\n"
    "\n"
    "  name              play that player\n"
    "  [name] args...    play that player with all arguments up to the next [name]\n"
    "  --list            list the names of the players\n"
    "  --help            show this text\n"
    "\n"
    "--chopsticks N, --games N and --disable-game-output are ignored: the options of\n"
    "`wateringhole play` set them.\n";

CommandLine done(int status, const std::string& output = "") {
    CommandLine command_line;
    command_line.is_done = true;
    command_line.status = status;
    command_line.output = output;
    return command_line;
}

CommandLine refused(const std::string& why) {
    report(why + "; see --help");
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

// Return the first factory of that name, or null.
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

CommandLine read_command_line(cmdline::args& args, const Catalogue& catalogue) {
    CommandLine command_line;
    bool in_brackets = false; // plain words are arguments of the last player
    while (args.size() > 0) {
        const std::string word = args.next();
        if (in_brackets && !is_bracketed(word)) {
            command_line.players.back().args.push_back(word);
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
                return refused(word + " needs a number after it");
            }
            report(word + " " + args.next() + " is ignored: `wateringhole play` sets it");
            continue;
        }
        if (word == "--disable-game-output") {
            report(word + " is ignored: `wateringhole play` sets it");
            continue;
        }
        if (word.empty()) {
            report("an empty argument is ignored");
            continue;
        }
        in_brackets = is_bracketed(word);
        const std::string name = in_brackets ? word.substr(1, word.size() - 2) : word;
        const PlayerFactory make = find(catalogue, name);
        if (make == nullptr) {
            return refused("unknown player or option: " + word);
        }
        SelectedPlayer selected = {name, make, args.subarg(0)};
        selected.args.program_name(name);
        command_line.players.push_back(std::move(selected));
    }
    if (command_line.players.empty()) {
        return refused("no player was given");
    }
    return command_line;
}

void report(const std::string& text) {
    std::fprintf(stderr, "porrinha: %s.\n", text.c_str());
}

} // namespace core
