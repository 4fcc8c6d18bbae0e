// Lines over file descriptors, and the wire to the table, which is kept away from players.
//
// Before any code of a player runs, its static initialisers included, standard input and output
// are moved out of its reach: it reads nothing, and what it prints goes to standard error.
#ifndef CORE_WIRE_H
#define CORE_WIRE_H

#include <cstddef>
#include <string>

namespace core {

// No line is longer, either way.
const std::size_t LONGEST_LINE = 1 << 20;

// What this program was started with as standard input and output.
int wire_in();
int wire_out();

// Write it all, however long the other side takes to read it.  False: nobody reads any more.
bool write_all(int fd, const std::string& text);

class LineReader {
public:
    explicit LineReader(int fd) : fd_(fd) {}

    // The next whole line that has come, without its end.  False: it takes another fill().
    bool next(std::string& line);
    // Wait for more to come.  False: nothing will, or what came is longer than a line may be.
    bool fill();

private:
    int fd_;
    std::string buffer_;
    std::size_t searched_ = 0; // there is no end of a line before this
};

} // namespace core

#endif
