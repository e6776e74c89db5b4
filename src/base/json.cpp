#include "base/json.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/error.hpp"

namespace ovni {

using Json = nlohmann::ordered_json;

namespace {

// Finds in one pass over the text what the parser itself accepts.
class Checker : public nlohmann::json_sax<Json> {
 public:
    explicit Checker(const std::string& path) : path_(path) {}

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(size_t) override { return enter(); }
    bool start_array(size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }
    bool key(string_t& name) override {
        if (!keys_.back().insert(name).second)
            throw Error("JSON key '" + name + "' twice in one object", path_);
        return true;
    }
    bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& e) override {
        std::string_view what = e.what();
        if (auto at = what.find("] "); at != what.npos) what.remove_prefix(at + 2);
        throw Error("not valid JSON: " + std::string(what), path_, position);
    }

 private:
    bool enter() {
        constexpr size_t deepest = 2048;
        if (keys_.size() == deepest) throw Error("JSON nested too deep", path_);
        keys_.emplace_back();
        return true;
    }
    bool leave() {
        keys_.pop_back();
        return true;
    }

    const std::string& path_;
    std::vector<std::set<std::string>> keys_;  // of every object around
};

void check_json(std::string_view text, const std::string& path) {
    // The parser ends there, as a C string does. A file has such bytes if it was not written to its end.
    if (size_t zero = text.find('\0'); zero != text.npos)
        throw Error("not valid JSON: a byte of value zero, so the file was not written to its end", path,
                    zero);
    Checker checker(path);
    Json::sax_parse(text.begin(), text.end(), &checker, Json::input_format_t::json, true, true);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& path) {
    check_json(text, path);
    return Json::parse(text.begin(), text.end(), nullptr, true, true);
}

Json parse_json(std::string_view text, const std::string& path, std::string_view name,
                const TakeObject& take) {
    using Event = Json::parse_event_t;
    constexpr int of_member = 1, of_element = 2;
    check_json(text, path);
    bool is_there = false;
    auto keep = [&](int depth, Event event, const Json& value) {
        if (event == Event::key && depth == of_member) is_there = value == name;
        if (event != Event::object_end || depth != of_element || !is_there) return true;
        take(value);
        return false;
    };
    return Json::parse(text.begin(), text.end(), keep, true, true);
}

}  // namespace ovni
