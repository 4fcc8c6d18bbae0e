// Forwards messages between the table and the players.  Every player has its own process, so one
// that crashes, hangs or exits does not affect the others.  It gets a new process for its next game.
#ifndef CORE_SWITCHBOARD_H
#define CORE_SWITCHBOARD_H

#include <string>
#include <vector>

#include <sys/types.h>

#include "core/command_line.h"
#include "core/json.h"
#include "core/wire.h"

namespace core {

class Switchboard {
public:
    explicit Switchboard(std::vector<SelectedPlayer>& players);

    // Exchange messages until the table has no more games.  Return the program's exit status.
    int run();

private:
    // The connection to a player's process.
    struct Line {
        pid_t process;
        int in, out; // its input, which we write, and its output, which we read
        LineReader reader;
        std::string backlog; // not yet written
        bool is_asked;
        long long id;     // of the open request, if there is one
        bool is_gone;     // its process has ended
        std::string why;  // the reason, if is_gone
        int restarts = 0; // how many processes it had before this one

        Line(pid_t process, int in, int out)
            : process(process), in(in), out(out), reader(out), is_asked(false), id(0), is_gone(false) {}
    };

    bool read_hello();
    std::string names() const;
    bool start_players();
    bool start_player(std::size_t number);
    void restart_player(std::size_t number);
    void exchange();
    bool forward(const std::string& text);
    void read_player(std::size_t number);
    bool handle_reply(std::size_t number, const std::string& text);
    void write_backlog(std::size_t number);
    void drop(std::size_t number, const std::string& why);
    void send(const std::string& type, std::size_t number, const std::string& fields);
    void send_failure(std::size_t number, const std::string& why);
    void close_players();

    std::vector<SelectedPlayer>& players_;
    std::vector<Line> lines_;
    LineReader table_;
    bool is_over_ = false;
};

} // namespace core

#endif
