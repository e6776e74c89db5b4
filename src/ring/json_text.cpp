#include "ring/json_text.hpp"

#include <cmath>
#include <cstdio>
#include <set>
#include <string_view>
#include <vector>

namespace ovni::writer {
namespace {

// Length of the UTF-8 sequence at the start of `text`; 0: there is none.
size_t utf8_length(std::string_view text) {
    auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    uint8_t first = byte(0);
    if (first < 0x80) return 1;
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
    bool no_character = (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
    return overlong || no_character ? 0 : length;
}

class Printer {
 public:
    explicit Printer(JsonStyle style) : pretty_(style == JsonStyle::pretty) {}

    void print(const Json& value) {
        switch (value.type()) {
            case Json::value_t::object:
                return print_object(value);
            case Json::value_t::array:
                return print_array(value);
            case Json::value_t::string:
                return print_string(*value.get_ptr<const std::string*>());
            case Json::value_t::boolean:
                text += value.get<bool>() ? "true" : "false";
                return;
            case Json::value_t::number_integer:
                text += std::to_string(value.get<int64_t>());
                return;
            case Json::value_t::number_unsigned:
                text += std::to_string(value.get<uint64_t>());
                return;
            case Json::value_t::number_float:
                return print_number(value.get<double>());
            default:
                text += "null";
        }
    }

    std::string text;

 private:
    void new_line() {
        if (pretty_) text.append(1, '\n').append(4 * depth_, ' ');
    }

    template <class Print>
    void print_all(char open, char close, const Json& value, Print print_one) {
        text += open;
        ++depth_;
        bool first = true;
        for (auto item = value.begin(); item != value.end(); ++item) {
            if (!first) text += ',';
            first = false;
            new_line();
            print_one(item);
        }
        --depth_;
        if (!first) new_line();
        text += close;
    }

    void print_array(const Json& value) {
        print_all('[', ']', value, [&](auto item) { print(*item); });
    }

    void print_object(const Json& value) {
        print_all('{', '}', value, [&](auto item) {
            print_string(item.key());
            text += pretty_ ? ": " : ":";
            print(*item);
        });
    }

    void print_number(double number) {
        char digits[40];
        snprintf(digits, sizeof digits, "%1.17g", std::isfinite(number) ? number : 0.0);
        // The program's locale may have its own decimal separator.
        for (char* c = digits; *c; ++c)
            if (*c == ',') *c = '.';
        text += digits;
    }

    void print_character(char c) {
        constexpr std::string_view named = "\"\\/\b\f\n\r\t", letters = "\"\\/bfnrt";
        if (size_t at = named.find(c); at != named.npos) {
            text.append(1, '\\').append(1, letters[at]);
        } else if (static_cast<uint8_t>(c) < 0x20) {
            char escape[8];
            snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            text += escape;
        } else {
            text += c;
        }
    }

    void print_string(std::string_view value) {
        text += '"';
        while (!value.empty()) {
            size_t length = utf8_length(value);
            if (length == 1)
                print_character(value[0]);
            else
                text += length ? value.substr(0, length) : "\xef\xbf\xbd";
            value.remove_prefix(length ? length : 1);
        }
        text += '"';
    }

    bool pretty_;
    size_t depth_ = 0;
};

// No key twice in an object, and no nesting that would be in the way of those who walk through it.
struct Check : nlohmann::json_sax<Json> {
    static constexpr size_t deepest = 2048;
    std::vector<std::set<std::string>> keys;  // of the enclosing objects; empty for an array

    bool fits() const { return keys.size() <= deepest; }
    bool enter() {
        keys.emplace_back();
        return keys.size() <= deepest + 1;
    }
    bool leave() {
        keys.pop_back();
        return true;
    }
    bool key(std::string& name) override { return keys.back().insert(name).second; }
    bool start_object(size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool start_array(size_t) override { return enter(); }
    bool end_array() override { return leave(); }

    bool null() override { return fits(); }
    bool boolean(bool) override { return fits(); }
    bool number_integer(int64_t) override { return fits(); }
    bool number_unsigned(uint64_t) override { return fits(); }
    bool number_float(double, const std::string&) override { return fits(); }
    bool string(std::string&) override { return fits(); }
    bool binary(Json::binary_t&) override { return fits(); }
    bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }
};

void make_doubles(Json& value) {
    if (value.is_number()) value = value.get<double>();
    if (value.is_structured())
        for (auto& item : value) make_doubles(item);
}

}  // namespace

std::string json_text(const Json& value, JsonStyle style) {
    Printer printer(style);
    printer.print(value);
    return std::move(printer.text);
}

std::optional<Json> json_parse(const char* text, JsonNumbers numbers) {
    // Before there is a value: the library's own callback is quadratic in the members of an array.
    Check check;
    if (!Json::sax_parse(text, &check)) return std::nullopt;
    Json value = Json::parse(text, nullptr, false);
    if (numbers == JsonNumbers::doubles) make_doubles(value);
    return value;
}

}  // namespace ovni::writer
