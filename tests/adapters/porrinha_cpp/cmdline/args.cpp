#include "cmdline/args.h"

#include <iostream>
#include <stdexcept>

namespace cmdline {

args::args() : log_(&std::cerr) {}

args::args(int argc, const char* const* argv)
    : words_(argv + 1, argv + argc), program_name_(argv[0]), log_(&std::cerr) {}

std::size_t args::size() const {
    return words_.size();
}

std::string args::peek() const {
    return words_.at(0);
}

std::string args::next() {
    const std::string word = peek();
    words_.pop_front();
    return word;
}

void args::shift() {
    next();
}

args args::subarg(std::size_t n) {
    if (n > size()) {
        throw std::out_of_range("there are not enough words");
    }
    args taken;
    taken.log_ = log_;
    for (; n > 0; --n) {
        taken.push_back(next());
    }
    return taken;
}

args args::subarg_until(const Predicate& is_end) {
    return subarg(count_until(is_end));
}

args args::subcmd(std::size_t n) {
    args taken = subarg(n);
    taken.program_name_ = taken.next();
    return taken;
}

args args::subcmd_until(const Predicate& is_end) {
    return subcmd(count_until(is_end));
}

void args::push_back(const std::string& word) {
    words_.push_back(word);
}

const std::string& args::program_name() const {
    return program_name_;
}

void args::program_name(const std::string& name) {
    program_name_ = name;
}

std::ostream& args::log() const {
    return *log_;
}

void args::log(std::ostream& stream) {
    log_ = &stream;
}

void args::complain(const std::string& what, const std::string& word) {
    log() << program_name() << ": the word " << word << " " << what << std::endl;
}

std::size_t args::count_until(const Predicate& is_end) const {
    std::size_t count = 0;
    while (count < words_.size() && !is_end(words_[count])) {
        ++count;
    }
    return count;
}

} // namespace cmdline
