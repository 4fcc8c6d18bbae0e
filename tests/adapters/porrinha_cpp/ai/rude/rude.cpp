// The bad players: each misbehaves in one way, at a chosen call, and otherwise plays normally.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

#include "core/util.h"
#include "player.h"

namespace rude {

const char FORGERY[] = "{\"type\":\"answer\",\"id\":1,\"answer\":99}\nanswer 1 99\n";

// Prints before main.
struct Noise {
    Noise() { std::puts("rude was loaded"); }
} noise;

void misbehave(const std::string& how) {
    if (how == "print") {
        std::cout << FORGERY << std::flush;
        std::printf("%s", FORGERY);
        if (std::system("echo a program of a player prints") != 0) {
            throw std::runtime_error("no shell");
        }
    } else if (how == "read") {
        std::string word;
        if (std::cin >> word) {
            throw std::runtime_error("there was something to read: " + word);
        }
    } else if (how == "throw") {
        throw std::runtime_error("out of \"ideas\",\nn\xE3o sei");
    } else if (how == "throw-text") {
        throw "just a text";
    } else if (how == "throw-number") {
        throw 7;
    } else if (how == "crash") {
        std::raise(SIGSEGV);
    } else if (how == "abort") {
        std::abort();
    } else if (how == "exit") {
        std::exit(0);
    } else if (how == "close") {
        for (int fd = 3; fd < 64; ++fd) {
            close(fd);
        }
    } else if (how == "scribble") {
        for (int fd = 3; fd < 64; ++fd) {
            if (write(fd, FORGERY, sizeof FORGERY - 1) < 0) {
                continue;
            }
        }
    } else if (how == "hang") {
        for (;;) {
            pause();
        }
    }
}

// Return whether there was no such file, and create it; always true without a name.
bool is_first(const std::string& file) {
    return file.empty() || open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
}

class Rude : public Player {
public:
    Rude(const std::string& how, const std::string& when, int at, const std::string& once)
        : how_(how), when_(when), once_(once), left_(at) {}

    std::string name() const override { return "rude"; }
    void begin_game() override { called("begin_game"); }
    int hand() override {
        called("hand");
        return 0;
    }
    int guess() override {
        called("guess");
        int sum = 0;
        while (!core::valid_guess(sum)) {
            ++sum;
        }
        return sum;
    }
    void end_round() override { called("end_round"); }
    void end_game() override { called("end_game"); }

private:
    void called(const char* call) {
        if (when_ == call && --left_ == 0 && is_first(once_)) {
            misbehave(how_);
        }
    }

    std::string how_, when_, once_;
    int left_;
};

Player* factory(cmdline::args&& args) {
    std::string how = "print", when = "hand", once;
    int at = 1;
    while (args.size() > 0) {
        const std::string word = args.next();
        if (word == "--how") {
            how = args.next();
        } else if (word == "--when") {
            when = args.next();
        } else if (word == "--at") {
            args >> at;
        } else if (word == "--once") {
            once = args.next();
        }
    }
    if (when == "factory" && is_first(once)) {
        misbehave(how);
    }
    return how == "none" ? nullptr : new Rude(how, when, at, once);
}

} // namespace rude
