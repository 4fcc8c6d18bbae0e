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

// A player with more unread input than this is considered hung.
const std::size_t LONGEST_BACKLOG = 8 << 20;

// Time for a process to exit after it has closed its output or its input was closed.
const int EXIT_MILLISECONDS = 1000;

// How often a player gets a new process in place of one that has ended or hangs.
const int MOST_RESTARTS = 3;

// How often to check processes with an open request: their children can hold a pipe open.
const int POLL_MILLISECONDS = 200;

void sleep_a_millisecond() {
    poll(nullptr, 0, 1);
}

// Wait for a process to exit.  Return false if it did not exit in time.
bool has_exited(pid_t process, int milliseconds, int& status) {
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

std::string exit_reason(int status) {
    if (WIFSIGNALED(status)) {
        return std::string("the player crashed: ") + strsignal(WTERMSIG(status));
    }
    return "the player ended its process with status " + std::to_string(WEXITSTATUS(status));
}

// Remove and return the first word.
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

// Open a pipe that programs started by a player do not inherit.
bool open_pipe(int ends[2]) {
    if (pipe(ends) != 0) {
        return false;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

} // namespace

Switchboard::Switchboard(std::vector<SelectedPlayer>& players) : players_(players), table_(wire_in()) {}

int Switchboard::run() {
    std::signal(SIGPIPE, SIG_IGN);
    // The parent process may ignore this signal, but this program waits for its children.
    std::signal(SIGCHLD, SIG_DFL);
    if (!read_hello() || !start_players()) {
        close_players();
        return 1;
    }
    write_all(wire_out(), "{\"type\":\"hello\",\"protocol\":" + std::to_string(PROTOCOL) + names() + "}\n");
    while (!is_over_) {
        std::string text;
        if (table_.next(text)) {
            is_over_ = !forward(text);
        } else {
            exchange();
        }
    }
    close_players();
    return 0;
}

// Read the table's hello.  If this program cannot play, report the reason and return false.
bool Switchboard::read_hello() {
    std::string text;
    while (!table_.next(text)) {
        if (!table_.fill()) {
            report("no hello on standard input; start this program with: "
                   "wateringhole play porrinha random \"cmd:THIS-PROGRAM player\"");
            return false;
        }
    }
    json::Value hello;
    try {
        hello = json::read(text);
    } catch (const json::Unreadable& error) {
        report(std::string("the first message is unreadable: ") + error.what());
        return false;
    }
    const std::string game = hello["game"].text("porrinha");
    const long long players = hello["players"].whole(1);
    if (hello["type"].text("") != "hello" || hello["protocol"].whole(0) != PROTOCOL) {
        report("the first message is not a hello of protocol " + std::to_string(PROTOCOL));
    } else if (game != "porrinha") {
        report("the game is " + game + ", but these are players of porrinha");
    } else if (players != static_cast<long long>(players_.size())) {
        report("the table asks for " + std::to_string(players) + (players == 1 ? " player" : " players") +
               ", but the command line names " + std::to_string(players_.size()) +
               "; use cmd*2: for a program that plays two seats");
    } else {
        return true;
    }
    return false;
}

// Return the field of the hello that names the players.  A player's own name is known only after it was
// created, which is too late for the hello, so these are the names from the command line.
std::string Switchboard::names() const {
    if (players_.size() == 1) {
        return ",\"name\":" + json::quoted(players_[0].name);
    }
    std::string list;
    for (const SelectedPlayer& player : players_) {
        list += (list.empty() ? "" : ",") + json::quoted(player.name);
    }
    return ",\"names\":[" + list + "]";
}

// Start a process for every player.  If that fails, report the reason and return false.
bool Switchboard::start_players() {
    for (std::size_t number = 0; number < players_.size(); ++number) {
        lines_.push_back(Line(-1, -1, -1));
        if (!start_player(number)) {
            return false;
        }
    }
    return true;
}

// Start a process for a player.  If that fails, report the reason and return false.
bool Switchboard::start_player(std::size_t number) {
    // Otherwise every process would print the buffered output.
    std::fflush(nullptr);
    const pid_t parent = getpid();
    int to_player[2], from_player[2];
    const pid_t process = open_pipe(to_player) && open_pipe(from_player) ? fork() : -1;
    if (process < 0) {
        report(std::string("cannot start a process for a player: ") + std::strerror(errno));
        return false;
    }
    if (process == 0) {
#ifdef __linux__
        // Kill the player when this program exits, even if it hangs.
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
        serve(players_[number], to_player[0], from_player[1]);
    }
    close(to_player[0]);
    close(from_player[1]);
    fcntl(to_player[1], F_SETFL, O_NONBLOCK);
    Line line(process, to_player[1], from_player[0]);
    line.restarts = lines_[number].restarts;
    lines_[number] = line;
    return true;
}

// Give a player a new process for its next game, if it has restarts left.
void Switchboard::restart_player(std::size_t number) {
    Line& line = lines_[number];
    if (!line.is_gone) {
        line.is_asked = false; // the table no longer waits for the answer
        drop(number, "the player never answered an earlier request");
    }
    if (line.restarts < MOST_RESTARTS) {
        ++line.restarts;
        report(players_[number].name + " gets a new process: " + line.why);
        start_player(number);
    }
}

// Wait until something can be read or written, and do it.
void Switchboard::exchange() {
    std::vector<pollfd> waiting(1, pollfd{wire_in(), POLLIN, 0});
    bool is_any_asked = false;
    for (const Line& line : lines_) {
        waiting.push_back(pollfd{line.is_gone ? -1 : line.out, POLLIN, 0});
        waiting.push_back(pollfd{line.is_gone || line.backlog.empty() ? -1 : line.in, POLLOUT, 0});
        is_any_asked = is_any_asked || (line.is_asked && !line.is_gone);
    }
    const int ready = poll(waiting.data(), waiting.size(), is_any_asked ? POLL_MILLISECONDS : -1);
    if (ready < 0) {
        return; // interrupted by a signal; the caller retries
    }
    for (std::size_t number = 0; number < lines_.size(); ++number) {
        Line& line = lines_[number];
        if (waiting[1 + 2 * number].revents != 0) {
            read_player(number);
        }
        int status = 0;
        if (ready == 0 && !line.is_gone && has_exited(line.process, 0, status)) {
            line.process = -1;
            drop(number, exit_reason(status));
        }
        if (!line.is_gone && waiting[2 + 2 * number].revents != 0) {
            write_backlog(number);
        }
    }
    if (waiting[0].revents != 0 && !table_.fill()) {
        is_over_ = true;
    }
}

// Forward a message of the table to its player.  Return false if it was the last one.
bool Switchboard::forward(const std::string& text) {
    json::Value message;
    try {
        message = json::read(text);
    } catch (const json::Unreadable& error) {
        report(std::string("the table sent an unreadable line: ") + error.what());
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
    if (type == "game" && (line.is_gone || line.is_asked)) {
        restart_player(number);
    }
    if (type == "request") {
        line.is_asked = true;
        line.id = message["id"].whole(0);
        if (line.is_gone) {
            send_failure(number, line.why);
        }
    }
    if (!line.is_gone && (type == "game" || type == "notice" || type == "request")) {
        line.backlog += text + "\n";
        write_backlog(number);
    }
    return true;
}

// Read the output of a player's process.
void Switchboard::read_player(std::size_t number) {
    Line& line = lines_[number];
    const bool is_there = line.reader.fill();
    std::string text;
    while (!line.is_gone && line.reader.next(text)) {
        if (!handle_reply(number, text)) {
            drop(number, "the player wrote to a file that is not its own");
        }
    }
    if (line.is_gone || is_there) {
        return;
    }
    int status = 0;
    if (has_exited(line.process, EXIT_MILLISECONDS, status)) {
        line.process = -1;
        drop(number, exit_reason(status));
    } else {
        drop(number, "the player closed a file that is not its own");
    }
}

// Handle a line of a booth (booth.h).  Return false if it is malformed.
bool Switchboard::handle_reply(std::size_t number, const std::string& text) {
    Line& line = lines_[number];
    std::string rest = text;
    const std::string word = first_word(rest);
    if (word == "gone") {
        drop(number, rest);
        return true;
    }
    const std::string id = first_word(rest);
    if ((word != "answer" && word != "pass" && word != "failed") || !is_whole_number(id) ||
        (word == "answer" && !is_whole_number(rest))) {
        return false;
    }
    if (!line.is_asked || id != std::to_string(line.id)) {
        return true; // late: the table has sent another request since
    }
    if (word == "failed") {
        send_failure(number, rest);
        return true;
    }
    line.is_asked = false;
    send(word, number, ",\"id\":" + id + (word == "answer" ? ",\"answer\":" + rest : ""));
    return true;
}

// Write as much of the backlog as the player's process accepts now.
void Switchboard::write_backlog(std::size_t number) {
    Line& line = lines_[number];
    const ssize_t written = write(line.in, line.backlog.data(), line.backlog.size());
    if (written > 0) {
        line.backlog.erase(0, written);
    } else if (errno == EPIPE) {
        line.backlog.clear(); // it is exiting, which reading its output will show
    }
    if (line.backlog.size() > LONGEST_BACKLOG) {
        drop(number, "the player has not listened for too long");
    }
}

// Kill a player's process and fail its requests in this game.
void Switchboard::drop(std::size_t number, const std::string& why) {
    Line& line = lines_[number];
    if (line.process > 0) {
        kill(line.process, SIGKILL);
        waitpid(line.process, nullptr, 0);
    }
    close(line.in);
    close(line.out);
    line.process = line.in = line.out = -1;
    line.backlog.clear();
    line.is_gone = true;
    line.why = why;
    send_failure(number, why);
}

void Switchboard::send(const std::string& type, std::size_t number, const std::string& fields) {
    const std::string player = lines_.size() > 1 ? ",\"player\":" + std::to_string(number) : "";
    if (!write_all(wire_out(), "{\"type\":\"" + type + "\"" + player + fields + "}\n")) {
        is_over_ = true;
    }
}

// Report that a player has failed, if a request is open.  A failure reported at any other time could
// be taken for one in the next game.
void Switchboard::send_failure(std::size_t number, const std::string& why) {
    Line& line = lines_[number];
    if (line.is_asked) {
        line.is_asked = false;
        send("failed", number, ",\"id\":" + std::to_string(line.id) + ",\"message\":" + json::quoted(why));
    }
}

// Close the input of all players, and forward their remaining output.
void Switchboard::close_players() {
    typedef std::chrono::steady_clock Clock;
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(EXIT_MILLISECONDS);
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
                read_player(number);
            } else {
                drop(number, "the player did not end in time");
            }
        }
    }
}

} // namespace core
