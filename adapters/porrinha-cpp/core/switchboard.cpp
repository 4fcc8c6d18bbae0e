#include "core/switchboard.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "core/booth.h"

namespace core {

namespace {

const int PROTOCOL = 1;

// A player that lets more than this pile up will never read it.
const std::size_t LONGEST_BACKLOG = 8 << 20;

// How long a process that has closed its line, or was told to end, gets to do so.
const int GRACE_MILLISECONDS = 1000;

// How often we look after those who were asked: children of theirs can hold a line open.
const int ROUND_MILLISECONDS = 200;

void sleep_a_millisecond() {
    poll(nullptr, 0, 1);
}

// Wait for a process to end.  False: it did not in time.
bool has_ended(pid_t process, int milliseconds, int& status) {
    for (int waited = 0;; ++waited) {
        const pid_t ended = waitpid(process, &status, WNOHANG);
        if (ended > 0 || (ended < 0 && errno != EINTR)) {
            return true;
        }
        if (waited >= milliseconds) {
            return false;
        }
        sleep_a_millisecond();
    }
}

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status)) {
        return std::string("the player crashed: ") + strsignal(WTERMSIG(status));
    }
    return "the player ended its process with status " + std::to_string(WEXITSTATUS(status));
}

// Split off the first word.
std::string first_word(std::string& text) {
    const std::size_t blank = text.find(' ');
    const std::string word = text.substr(0, blank);
    text.erase(0, blank == std::string::npos ? blank : blank + 1);
    return word;
}

bool is_whole_number(const std::string& text) {
    const std::size_t digits = text.compare(0, 1, "-") == 0 ? 1 : 0;
    return text.size() > digits && text.size() <= 20 &&
           text.find_first_not_of("0123456789", digits) == std::string::npos;
}

// Both ends; programs that a player starts do not inherit them.
bool open_pipe(int ends[2]) {
    if (pipe(ends) != 0) {
        return false;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

} // namespace

Switchboard::Switchboard(std::vector<Chosen>& players) : players_(players), table_(wire_in()) {}

int Switchboard::run() {
    std::signal(SIGPIPE, SIG_IGN);
    // Whoever started us may not want to know of its own children; we do.
    std::signal(SIGCHLD, SIG_DFL);
    if (!greet() || !connect()) {
        hang_up();
        return 1;
    }
    // Names are known once players are made, which is too late for this; the word they were chosen
    // by is as good.
    const std::string name = players_.size() == 1 ? ",\"name\":" + json::quoted(players_[0].name) : "";
    write_all(wire_out(), "{\"type\":\"hello\",\"protocol\":" + std::to_string(PROTOCOL) + name + "}\n");
    while (!is_over_) {
        std::string text;
        if (table_.next(text)) {
            is_over_ = !pass_on(text);
        } else {
            carry();
        }
    }
    hang_up();
    return 0;
}

// Read the table's first message.  False: we cannot play there, and have said why.
bool Switchboard::greet() {
    std::string text;
    while (!table_.next(text)) {
        if (!table_.fill()) {
            remark("no table greets us on standard input; this program is started by one: "
                   "wateringhole play porrinha random \"cmd:THIS-PROGRAM player\"");
            return false;
        }
    }
    json::Value hello;
    try {
        hello = json::read(text);
    } catch (const json::Unreadable& error) {
        remark(std::string("the table's first message cannot be read: ") + error.what());
        return false;
    }
    const std::string game = hello["game"].text("porrinha");
    const long long players = hello["players"].whole(1);
    if (hello["type"].text("") != "hello" || hello["protocol"].whole(0) != PROTOCOL) {
        remark("the table's first message is no hello of protocol " + std::to_string(PROTOCOL));
    } else if (game != "porrinha") {
        remark("the table plays " + game + ", and these are players of porrinha");
    } else if (players != static_cast<long long>(players_.size())) {
        remark("the table asks for " + std::to_string(players) + " players, and the command line names " +
               std::to_string(players_.size()) + "; a program for two is seated with cmd*2:");
    } else {
        return true;
    }
    return false;
}

// Start a process for every player.  False: that cannot be done, and we have said why.
bool Switchboard::connect() {
    // What is still in a buffer would be printed once by every process.
    std::fflush(nullptr);
    const pid_t parent = getpid();
    for (Chosen& player : players_) {
        int to_player[2], from_player[2];
        const pid_t process = open_pipe(to_player) && open_pipe(from_player) ? fork() : -1;
        if (process < 0) {
            remark(std::string("no process can be started for a player: ") + std::strerror(errno));
            return false;
        }
        if (process == 0) {
#ifdef __linux__
            // Even a player in an endless loop ends with us.
            prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
            if (getppid() != parent) {
                _exit(1);
            }
            std::signal(SIGPIPE, SIG_DFL);
            for (const Line& line : lines_) {
                close(line.in);
                close(line.out);
            }
            close(wire_in());
            close(wire_out());
            close(to_player[1]);
            close(from_player[0]);
            serve(player, to_player[0], from_player[1]);
        }
        close(to_player[0]);
        close(from_player[1]);
        fcntl(to_player[1], F_SETFL, O_NONBLOCK);
        lines_.push_back(Line(process, to_player[1], from_player[0]));
    }
    return true;
}

// Wait until something can be carried to somebody, and do it.
void Switchboard::carry() {
    std::vector<pollfd> waiting(1, pollfd{wire_in(), POLLIN, 0});
    bool is_anybody_asked = false;
    for (const Line& line : lines_) {
        waiting.push_back(pollfd{line.is_gone ? -1 : line.out, POLLIN, 0});
        waiting.push_back(pollfd{line.is_gone || line.backlog.empty() ? -1 : line.in, POLLOUT, 0});
        is_anybody_asked = is_anybody_asked || (line.is_asked && !line.is_gone);
    }
    const int ready = poll(waiting.data(), waiting.size(), is_anybody_asked ? ROUND_MILLISECONDS : -1);
    if (ready < 0) {
        return; // a signal; look again
    }
    for (std::size_t number = 0; number < lines_.size(); ++number) {
        Line& line = lines_[number];
        if (waiting[1 + 2 * number].revents != 0) {
            hear(number);
        }
        int status = 0;
        if (ready == 0 && !line.is_gone && has_ended(line.process, 0, status)) {
            line.process = -1;
            lose(number, how_it_ended(status));
        }
        if (!line.is_gone && waiting[2 + 2 * number].revents != 0) {
            push(number);
        }
    }
    if (waiting[0].revents != 0 && !table_.fill()) {
        is_over_ = true;
    }
}

// Pass a message of the table on to the player it is for.  False: it was the last one.
bool Switchboard::pass_on(const std::string& text) {
    json::Value message;
    try {
        message = json::read(text);
    } catch (const json::Unreadable& error) {
        remark(std::string("the table sent a line that cannot be read: ") + error.what());
        return true;
    }
    const std::string type = message["type"].text("");
    if (type == "bye") {
        return false;
    }
    const long long number = message["player"].whole(0);
    if (number < 0 || number >= static_cast<long long>(lines_.size())) {
        return true;
    }
    Line& line = lines_[number];
    if (type == "request") {
        line.is_asked = true;
        line.id = message["id"].whole(0);
        if (line.is_gone) {
            tell_failed(number, line.why);
        }
    }
    if (!line.is_gone && (type == "game" || type == "notice" || type == "request")) {
        line.backlog += text + "\n";
        push(number);
    }
    return true;
}

// Read what a player's process says.
void Switchboard::hear(std::size_t number) {
    Line& line = lines_[number];
    const bool is_there = line.reader.fill();
    std::string text;
    while (!line.is_gone && line.reader.next(text)) {
        if (!take_reply(number, text)) {
            lose(number, "the player wrote to a file that is not its own");
        }
    }
    if (line.is_gone || is_there) {
        return;
    }
    int status = 0;
    if (has_ended(line.process, GRACE_MILLISECONDS, status)) {
        line.process = -1;
        lose(number, how_it_ended(status));
    } else {
        lose(number, "the player closed a file that is not its own");
    }
}

// Take a line of a booth (booth.h).  False: it is not one.
bool Switchboard::take_reply(std::size_t number, const std::string& text) {
    Line& line = lines_[number];
    std::string rest = text;
    const std::string word = first_word(rest);
    if (word == "gone") {
        lose(number, rest);
        return true;
    }
    const std::string id = first_word(rest);
    if ((word != "answer" && word != "pass" && word != "failed") || !is_whole_number(id) ||
        (word == "answer" && !is_whole_number(rest))) {
        return false;
    }
    if (!line.is_asked || id != std::to_string(line.id)) {
        return true; // too late: the table has asked something else since
    }
    if (word == "failed") {
        tell_failed(number, rest);
        return true;
    }
    line.is_asked = false;
    tell(word, number, ",\"id\":" + id + (word == "answer" ? ",\"answer\":" + rest : ""));
    return true;
}

// Write to a player's process as much as it takes now.
void Switchboard::push(std::size_t number) {
    Line& line = lines_[number];
    const ssize_t written = write(line.in, line.backlog.data(), line.backlog.size());
    if (written > 0) {
        line.backlog.erase(0, written);
    } else if (errno == EPIPE) {
        line.backlog.clear(); // it is ending, which its other line will tell
    }
    if (line.backlog.size() > LONGEST_BACKLOG) {
        lose(number, "the player has not listened for too long");
    }
}

// A player is gone for good.
void Switchboard::lose(std::size_t number, const std::string& why) {
    Line& line = lines_[number];
    if (line.process > 0) {
        kill(line.process, SIGKILL);
        waitpid(line.process, nullptr, 0);
    }
    close(line.in);
    close(line.out);
    line.backlog.clear();
    line.is_gone = true;
    line.why = why;
    tell_failed(number, why);
}

void Switchboard::tell(const std::string& type, std::size_t number, const std::string& fields) {
    const std::string player = lines_.size() > 1 ? ",\"player\":" + std::to_string(number) : "";
    if (!write_all(wire_out(), "{\"type\":\"" + type + "\"" + player + fields + "}\n")) {
        is_over_ = true;
    }
}

// A player has failed.  The table hears of it when it asks: a failure told at any other time could
// be taken for one of the next game.
void Switchboard::tell_failed(std::size_t number, const std::string& why) {
    Line& line = lines_[number];
    if (line.is_asked) {
        line.is_asked = false;
        tell("failed", number, ",\"id\":" + std::to_string(line.id) + ",\"message\":" + json::quoted(why));
    }
}

// Let all players go home, and pass on what they still have to say.
void Switchboard::hang_up() {
    typedef std::chrono::steady_clock Clock;
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(GRACE_MILLISECONDS);
    for (Line& line : lines_) {
        if (!line.is_gone) {
            close(line.in);
            line.in = -1;
        }
    }
    for (std::size_t number = 0; number < lines_.size(); ++number) {
        while (!lines_[number].is_gone) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
            pollfd waiting = {lines_[number].out, POLLIN, 0};
            if (left > 0 && poll(&waiting, 1, static_cast<int>(left)) != 0) {
                hear(number);
            } else {
                lose(number, "the player did not end in time");
            }
        }
    }
}

} // namespace core
