#include "core/wire.h"

#include <csignal>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace core {

namespace {

// Constant-initialized, so they have their values before any constructor runs.
int the_wire_in = -1;
int the_wire_out = -1;

// 101 is the first priority not reserved for the compiler, so this runs before every static initialiser.
__attribute__((constructor(101))) void take_the_wire() {
    // Programs started by a player do not inherit these descriptors.
    the_wire_in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    the_wire_out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        dup2(nothing, STDOUT_FILENO);
    }
    if (nothing > STDERR_FILENO) {
        close(nothing);
    }
    // Do not crash when the log reaches the host's size limit.
    std::signal(SIGXFSZ, SIG_IGN);
    // Standard error is often a file; flush each line, so that output is not lost when a player crashes.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

void wait_for(int fd, short events) {
    pollfd waiting = {fd, events, 0};
    poll(&waiting, 1, -1);
}

} // namespace

int wire_in() {
    return the_wire_in;
}

int wire_out() {
    return the_wire_out;
}

bool write_all(int fd, const std::string& text) {
    for (std::size_t written = 0; written < text.size();) {
        const ssize_t count = write(fd, text.data() + written, text.size() - written);
        if (count >= 0) {
            written += count;
        } else if (errno == EAGAIN) {
            wait_for(fd, POLLOUT);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool LineReader::next(std::string& line) {
    const std::size_t end = buffer_.find('\n', searched_);
    if (end == std::string::npos) {
        searched_ = buffer_.size();
        return false;
    }
    line.assign(buffer_, 0, end);
    buffer_.erase(0, end + 1);
    searched_ = 0;
    return true;
}

bool LineReader::fill() {
    char chunk[1 << 14];
    for (;;) {
        const ssize_t count = read(fd_, chunk, sizeof chunk);
        if (count > 0) {
            buffer_.append(chunk, count);
            return buffer_.size() <= LONGEST_LINE + sizeof chunk;
        }
        if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            return false;
        }
        if (errno == EAGAIN) {
            wait_for(fd_, POLLIN);
        }
    }
}

} // namespace core
