// The part of JSON that the protocol needs: reads any value, but keeps only integers among the numbers.
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace core {
namespace json {

// The text is not JSON; what() gives the error and its position.
struct Unreadable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Value {
public:
    // OTHER: null, true, false, and numbers that are not integers or do not fit a long long.
    enum Kind { OTHER, WHOLE, TEXT, LIST, OBJECT };

    // These return `otherwise` if the value is missing or of another kind.

    long long whole(long long otherwise) const;
    std::string text(const std::string& otherwise) const;
    // The items of a list or object, in order; empty for other kinds.
    const std::vector<Value>& items() const;
    // The field of an object, or a value of kind OTHER.
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

// Parse a text that is one value.  Throws Unreadable.
Value read(const std::string& text);

// Return a text as a JSON string.  The result is always UTF-8, although old programs use Latin-1.
std::string quoted(const std::string& text);

} // namespace json
} // namespace core

#endif
