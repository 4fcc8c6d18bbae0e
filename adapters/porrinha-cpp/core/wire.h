// Lines over file descriptors, and the connection to the table, which players cannot access.
//
// Before any code of a player runs, including static initialisers, standard input and output are
// replaced: a player reads nothing, and its output goes to standard error.
#ifndef CORE_WIRE_H
#define CORE_WIRE_H

#include <cstddef>
#include <string>

namespace core {

// The length limit of a line, in both directions.
const std::size_t LONGEST_LINE = 1 << 20;

// The original standard input and output of this program.
int wire_in();
int wire_out();

// Write the whole text, waiting for the reader if necessary.  Return false if it is closed.
bool write_all(int fd, const std::string& text);

class LineReader {
public:
    explicit LineReader(int fd) : fd_(fd) {}

    // Get the next complete line, without its newline.  Return false if fill() is needed first.
    bool next(std::string& line);
    // Wait for more input.  Return false at its end, or if a line is too long.
    bool fill();

private:
    int fd_;
    std::string buffer_;
    std::size_t searched_ = 0; // there is no newline before this position
};

} // namespace core

#endif
