// Between the wire and the players: every player sits in a process of its own, so that one that
// crashes, hangs or exits costs nobody else anything.
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
    explicit Switchboard(std::vector<Chosen>& players);

    // Talk to the table until it has no more games.  Returns the program's exit status.
    int run();

private:
    // A line to a player's process.
    struct Line {
        pid_t process;
        int in, out; // what we write to, and what we read from
        LineReader reader;
        std::string backlog; // not yet written
        bool is_asked;
        long long id;    // of the open request, if there is one
        bool is_gone;    // for good
        std::string why; // it is gone

        Line(pid_t process, int in, int out)
            : process(process), in(in), out(out), reader(out), is_asked(false), id(0), is_gone(false) {}
    };

    bool greet();
    bool connect();
    void carry();
    bool pass_on(const std::string& text);
    void hear(std::size_t number);
    bool take_reply(std::size_t number, const std::string& text);
    void push(std::size_t number);
    void lose(std::size_t number, const std::string& why);
    void tell(const std::string& type, std::size_t number, const std::string& fields);
    void tell_failed(std::size_t number, const std::string& why);
    void hang_up();

    std::vector<Chosen>& players_;
    std::vector<Line> lines_;
    LineReader table_;
    bool is_over_ = false;
};

} // namespace core

#endif
