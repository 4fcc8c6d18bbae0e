// Stands for the file of the game's repository: a command line, read from the front.
#ifndef CMDLINE_ARGS_H
#define CMDLINE_ARGS_H

#include <cstddef>
#include <deque>
#include <functional>
#include <iosfwd>
#include <sstream>
#include <string>

namespace cmdline {

class args {
public:
    typedef std::function<bool(const std::string&)> Predicate;

    args();
    args(int argc, const char* const* argv);

    std::size_t size() const;
    // These four throw std::out_of_range at the end, and then change nothing.
    std::string peek() const;
    std::string next();
    void shift();
    // The next n words as separate arguments.
    args subarg(std::size_t n);
    // All words before the first for which the predicate is true.
    args subarg_until(const Predicate& is_end);
    // The same, with the first word as the name of the program.
    args subcmd(std::size_t n);
    args subcmd_until(const Predicate& is_end);
    void push_back(const std::string& word);

    const std::string& program_name() const;
    void program_name(const std::string& name);
    // The stream for errors about unreadable words.
    std::ostream& log() const;
    void log(std::ostream& stream);

    template <typename T>
    args& operator>>(T& thing) {
        const std::string word = next();
        std::istringstream stream(word);
        if (!(stream >> thing)) {
            complain("is unreadable", word);
        } else if (stream.peek() != std::istringstream::traits_type::eof()) {
            complain("was only partly read", word);
        }
        return *this;
    }

private:
    void complain(const std::string& what, const std::string& word);
    std::size_t count_until(const Predicate& is_end) const;

    std::deque<std::string> words_;
    std::string program_name_;
    std::ostream* log_;
};

} // namespace cmdline

#endif
