// A Porrinha player in one file of C++17, without a JSON library.
//
//     g++ -std=c++17 -O2 -o mean examples/porrinha_mean.cpp
//     wateringhole play porrinha cmd:./mean random random
//
// It assumes that the others hide half of their sticks, and guesses the nearest free sum.
// The messages are described in docs/reference/protocol.md.  Every message is one line with one object.  The names of the
// few fields needed here occur only once in it, so this program searches for them instead of parsing JSON.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

// Return the text after "name": in a message, or an empty string.
static std::string field(const std::string& message, const std::string& name) {
    const std::string key = "\"" + name + "\":";
    const size_t found = message.find(key);
    return found == std::string::npos ? "" : message.substr(found + key.size());
}

static int number(const std::string& message, const std::string& name) {
    return std::atoi(field(message, name).c_str());
}

static std::string word(const std::string& message, const std::string& name) {
    const std::string text = field(message, name);
    return text.empty() || text[0] != '"' ? "" : text.substr(1, text.find('"', 1) - 1);
}

static std::vector<int> numbers(const std::string& message, const std::string& name) {
    std::vector<int> found;
    const std::string text = field(message, name);
    const char* at = text.c_str();
    while (*at != '\0' && *at != ']') {
        char* end;
        found.push_back(static_cast<int>(std::strtol(at + 1, &end, 10)));
        at = end;
    }
    return found;
}

static int guess(const std::string& view, int seat) {
    const std::vector<int> sticks = numbers(view, "chopsticks"), guesses = numbers(view, "guess");
    const int table = number(view, "chopstick_count"), own_hand = number(view, "own_hand");
    const int expected = own_hand + (table - sticks[seat] + 1) / 2;
    int best = 0, nearest = 1 << 30;
    for (int value = 0; value <= table; ++value) {
        const bool taken = std::find(guesses.begin(), guesses.end(), value) != guesses.end();
        if (!taken && std::abs(value - expected) < nearest) {
            best = value;
            nearest = std::abs(value - expected);
        }
    }
    return best;
}

int main() {
    std::mt19937 chance{std::random_device{}()};
    int seat = 0;
    for (std::string message; std::getline(std::cin, message);) {
        const std::string type = word(message, "type"), request = word(message, "request");
        if (type == "hello") {
            std::cout << R"({"type":"hello","protocol":1,"name":"mean"})" << std::endl;
        } else if (type == "game") {
            seat = number(message, "seat");
        } else if (type == "request" && (request == "hand" || request == "guess")) {
            const std::string view = field(message, "view");
            int answer;
            if (request == "hand") {
                std::uniform_int_distribution<int> any(number(view, "lowest_hand"), numbers(view, "chopsticks")[seat]);
                answer = any(chance);
            } else {
                answer = guess(view, seat);
            }
            std::cout << R"({"type":"answer","id":)" << number(message, "id") << R"(,"answer":)" << answer << "}"
                      << std::endl;
        } else if (type == "request") {
            std::cout << R"({"type":"pass","id":)" << number(message, "id") << "}" << std::endl;
        }
    }
}
