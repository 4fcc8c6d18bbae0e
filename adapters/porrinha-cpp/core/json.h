// As much of JSON as the wire needs: any value can be read, but of numbers only whole ones are kept.
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace core {
namespace json {

// The text is not JSON; what() says what is wrong and where.
struct Unreadable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Value {
public:
    // OTHER: null, true, false, and numbers that are not whole or fit no long long.
    enum Kind { OTHER, WHOLE, TEXT, LIST, OBJECT };

    // Whatever is not there, or is of another kind, is answered with what the caller would rather have.

    long long whole(long long otherwise) const;
    std::string text(const std::string& otherwise) const;
    // The items of a list or object, in order; none of anything else.
    const std::vector<Value>& items() const;
    // A field of an object.
    const Value& operator[](const char* name) const;
    bool is(Kind kind) const;

private:
    friend class Reader;
    Kind kind_ = OTHER;
    long long whole_ = 0;
    std::string text_;
    std::vector<std::string> names_; // of an object's items
    std::vector<Value> items_;
};

// Read a text that is one value.  Raises Unreadable.
Value read(const std::string& text);

// A text as a JSON string.  The result is UTF-8 whatever the text is: old programs speak Latin-1.
std::string quoted(const std::string& text);

} // namespace json
} // namespace core

#endif
