#include "core/json.h"

#include <climits>
#include <cstdio>

namespace core {
namespace json {

namespace {

// Deeper nesting is refused, so that no message can exhaust the stack.
const int DEEPEST = 100;

const char REPLACEMENT[] = "\xEF\xBF\xBD"; // U+FFFD

void append_utf8(std::string& text, unsigned long point) {
    if (point < 0x80) {
        text += static_cast<char>(point);
    } else if (point < 0x800) {
        text += static_cast<char>(0xC0 | point >> 6);
        text += static_cast<char>(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        text += static_cast<char>(0xE0 | point >> 12);
        text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
        text += static_cast<char>(0x80 | (point & 0x3F));
    } else {
        text += static_cast<char>(0xF0 | point >> 18);
        text += static_cast<char>(0x80 | (point >> 12 & 0x3F));
        text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
        text += static_cast<char>(0x80 | (point & 0x3F));
    }
}

// Return the length of the UTF-8 character at this position, or 0 if it is malformed.
std::size_t utf8_length(const std::string& text, std::size_t at) {
    const unsigned char first = text[at];
    std::size_t length = 0;
    unsigned long point = 0, smallest = 0;
    if (first < 0x80) {
        return 1;
    } else if (first >> 5 == 0x06) {
        length = 2, point = first & 0x1F, smallest = 0x80;
    } else if (first >> 4 == 0x0E) {
        length = 3, point = first & 0x0F, smallest = 0x800;
    } else if (first >> 3 == 0x1E) {
        length = 4, point = first & 0x07, smallest = 0x10000;
    } else {
        return 0;
    }
    if (at + length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        const unsigned char next = text[at + i];
        if (next >> 6 != 0x02) {
            return 0;
        }
        point = point << 6 | (next & 0x3F);
    }
    const bool is_surrogate = point >= 0xD800 && point < 0xE000;
    return point < smallest || point > 0x10FFFF || is_surrogate ? 0 : length;
}

} // namespace

long long Value::whole(long long otherwise) const {
    return kind_ == WHOLE ? whole_ : otherwise;
}

std::string Value::text(const std::string& otherwise) const {
    return kind_ == TEXT ? text_ : otherwise;
}

const std::vector<Value>& Value::items() const {
    return items_;
}

const Value& Value::operator[](const char* name) const {
    static const Value nothing;
    for (std::size_t i = names_.size(); i-- > 0;) {
        if (names_[i] == name) {
            return items_[i];
        }
    }
    return nothing;
}

bool Value::is(Kind kind) const {
    return kind_ == kind;
}

class Reader {
public:
    explicit Reader(const std::string& text) : text_(text) {}

    Value read_all() {
        Value value = read_value(0);
        skip_blanks();
        if (at_ != text_.size()) {
            fail("unexpected text after the value");
        }
        return value;
    }

private:
    Value read_value(int depth) {
        if (depth > DEEPEST) {
            fail("nested too deeply");
        }
        skip_blanks();
        Value value;
        switch (peek()) {
        case '{':
            read_object(value, depth);
            break;
        case '[':
            read_list(value, depth);
            break;
        case '"':
            value.kind_ = Value::TEXT;
            value.text_ = read_string();
            break;
        case 't':
            expect("true");
            break;
        case 'f':
            expect("false");
            break;
        case 'n':
            expect("null");
            break;
        default:
            read_number(value);
        }
        return value;
    }

    void read_object(Value& value, int depth) {
        value.kind_ = Value::OBJECT;
        expect("{");
        for (bool is_first = true; !closes('}', is_first); is_first = false) {
            if (peek() != '"') {
                fail("expected a field name");
            }
            value.names_.push_back(read_string());
            skip_blanks();
            expect(":");
            value.items_.push_back(read_value(depth + 1));
        }
    }

    void read_list(Value& value, int depth) {
        value.kind_ = Value::LIST;
        expect("[");
        for (bool is_first = true; !closes(']', is_first); is_first = false) {
            value.items_.push_back(read_value(depth + 1));
        }
    }

    // Read the end of a list or object, or the comma before its next item.
    bool closes(char bracket, bool is_first) {
        skip_blanks();
        if (peek() == bracket) {
            ++at_;
            return true;
        }
        if (!is_first) {
            expect(",");
            skip_blanks();
        }
        return false;
    }

    std::string read_string() {
        expect("\"");
        std::string text;
        while (peek() != '"') {
            const char next = text_[at_];
            if (static_cast<unsigned char>(next) < 0x20) {
                fail("control character in a string");
            }
            ++at_;
            if (next != '\\') {
                text += next;
                continue;
            }
            const char escaped = peek();
            ++at_;
            switch (escaped) {
            case '"':
            case '\\':
            case '/':
                text += escaped;
                break;
            case 'b':
                text += '\b';
                break;
            case 'f':
                text += '\f';
                break;
            case 'n':
                text += '\n';
                break;
            case 'r':
                text += '\r';
                break;
            case 't':
                text += '\t';
                break;
            case 'u':
                read_code_point(text);
                break;
            default:
                fail("unknown escape");
            }
        }
        ++at_;
        return text;
    }

    // Read the digits after \u, and the second half of a surrogate pair.
    void read_code_point(std::string& text) {
        const unsigned long unit = read_four_digits();
        const bool is_high = unit >= 0xD800 && unit < 0xDC00;
        const bool is_low = unit >= 0xDC00 && unit < 0xE000;
        if (is_high && text_.compare(at_, 2, "\\u") == 0) {
            const std::size_t before = at_;
            at_ += 2;
            const unsigned long second = read_four_digits();
            if (second >= 0xDC00 && second < 0xE000) {
                append_utf8(text, 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00));
                return;
            }
            at_ = before;
        }
        if (is_high || is_low) {
            text += REPLACEMENT;
        } else {
            append_utf8(text, unit);
        }
    }

    unsigned long read_four_digits() {
        unsigned long unit = 0;
        for (int i = 0; i < 4; ++i) {
            const char digit = peek();
            unit <<= 4;
            if (digit >= '0' && digit <= '9') {
                unit |= digit - '0';
            } else if (digit >= 'a' && digit <= 'f') {
                unit |= digit - 'a' + 10;
            } else if (digit >= 'A' && digit <= 'F') {
                unit |= digit - 'A' + 10;
            } else {
                fail("\\u needs four hexadecimal digits");
            }
            ++at_;
        }
        return unit;
    }

    void read_number(Value& value) {
        const bool is_negative = peek() == '-';
        if (is_negative) {
            ++at_;
        }
        if (!is_digit()) {
            fail("expected a value");
        }
        // Count downwards, because there is one more negative number than positive ones.
        long long number = 0;
        bool fits = true;
        for (; is_digit(); ++at_) {
            const int digit = text_[at_] - '0';
            fits = fits && number >= (LLONG_MIN + digit) / 10;
            number = fits ? number * 10 - digit : 0;
        }
        if (!is_negative) {
            fits = fits && number != LLONG_MIN;
            number = fits ? -number : 0;
        }
        const bool is_whole = !is_one_of(".eE");
        while (is_digit() || is_one_of(".eE+-")) {
            ++at_;
        }
        if (is_whole && fits) {
            value.kind_ = Value::WHOLE;
            value.whole_ = number;
        }
    }

    bool is_digit() const {
        return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9';
    }

    bool is_one_of(const char* characters) const {
        return at_ < text_.size() && std::string(characters).find(text_[at_]) != std::string::npos;
    }

    void skip_blanks() {
        while (at_ < text_.size() && is_one_of(" \t\r\n")) {
            ++at_;
        }
    }

    char peek() const {
        if (at_ >= text_.size()) {
            fail("unexpected end");
        }
        return text_[at_];
    }

    void expect(const std::string& word) {
        if (text_.compare(at_, word.size(), word) != 0) {
            fail("expected " + word);
        }
        at_ += word.size();
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Unreadable("not JSON at character " + std::to_string(at_ + 1) + ": " + what);
    }

    const std::string& text_;
    std::size_t at_ = 0;
};

Value read(const std::string& text) {
    return Reader(text).read_all();
}

std::string quoted(const std::string& text) {
    std::string quoted = "\"";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        const unsigned char next = text[at];
        if (length == 0) {
            quoted += REPLACEMENT;
            ++at;
            continue;
        }
        if (next == '"' || next == '\\') {
            quoted += '\\';
            quoted += static_cast<char>(next);
        } else if (next < 0x20) {
            char escape[7];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(next));
            quoted += escape;
        } else {
            quoted.append(text, at, length);
        }
        at += length;
    }
    return quoted + '"';
}

} // namespace json
} // namespace core
