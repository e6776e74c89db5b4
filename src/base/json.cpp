#include "base/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace ovni {

using Json = nlohmann::ordered_json;

namespace {

// The keys of one object. Most have few.
class Keys {
 public:
    void clear() {
        few_.clear();
        many_.clear();
    }
    // False if it is there.
    bool insert(const std::string& key) {
        if (!many_.empty()) return many_.insert(key).second;
        if (std::ranges::find(few_, key) != few_.end()) return false;
        few_.push_back(key);
        if (few_.size() == most_of_few) many_.insert(few_.begin(), few_.end());
        return true;
    }

 private:
    static constexpr size_t most_of_few = 16;
    std::vector<std::string> few_;
    std::set<std::string> many_;
};

// Finds what the parser itself accepts.
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
        if (!keys_[depth_ - 1].insert(name))
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
        if (depth_ == deepest) throw Error("JSON nested too deep", path_);
        if (depth_ == keys_.size()) keys_.emplace_back();
        keys_[depth_++].clear();
        return true;
    }
    bool leave() {
        --depth_;
        return true;
    }

    const std::string& path_;
    std::vector<Keys> keys_;  // of every object around; their memory serves the next ones

 protected:
    size_t depth_ = 0;  // objects and arrays around
};

// Makes the value in the same pass. The library's own way to make objects looks for each key, and copies all
// members as they become more.
class Builder : public Checker {
 public:
    using Checker::Checker;

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t&) override { return put(value); }
    bool string(string_t& value) override { return put(std::move(value)); }
    bool start_object(size_t size) override { return Checker::start_object(size) && open(true); }
    bool start_array(size_t size) override { return Checker::start_array(size) && open(false); }
    bool end_object() override { return Checker::end_object() && put(close<Json::object_t>()); }
    bool end_array() override { return Checker::end_array() && put(close<Json::array_t>()); }
    bool key(string_t& name) override {
        Checker::key(name);
        open_[depth_ - 1].items.emplace_back(std::move(name), nullptr);
        return true;
    }

    Json result() { return std::move(result_); }

 private:
    // An object or array that has begun; its memory serves the next one of that depth.
    struct Open {
        bool is_object = false;
        std::vector<std::pair<std::string, Json>> items;  // of an array without keys
    };

    bool open(bool is_object) {
        if (depth_ > open_.size()) open_.emplace_back();
        open_[depth_ - 1].is_object = is_object;
        return true;
    }
    template <class Container>
    Container close() {
        std::vector<std::pair<std::string, Json>>& items = open_[depth_].items;
        Container made;
        made.reserve(items.size());
        for (auto& [name, value] : items)
            if constexpr (std::is_same_v<Container, Json::object_t>)
                made.emplace_back(std::move(name), std::move(value));
            else
                made.push_back(std::move(value));
        items.clear();
        return made;
    }
    bool put(Json value) {
        if (depth_ == 0)
            result_ = std::move(value);
        else if (Open& around = open_[depth_ - 1]; around.is_object)
            around.items.back().second = std::move(value);
        else
            around.items.emplace_back(std::string(), std::move(value));
        return true;
    }

    Json result_;
    std::vector<Open> open_;
};

void parse(std::string_view text, const std::string& path, Checker& checker) {
    // The parser ends there, as a C string does. A file has such bytes if it was not written to its end.
    if (size_t zero = text.find('\0'); zero != text.npos)
        throw Error("not valid JSON: a byte of value zero, so the file was not written to its end", path,
                    zero);
    Json::sax_parse(text.begin(), text.end(), &checker, Json::input_format_t::json, true, true);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& path) {
    Builder builder(path);
    parse(text, path, builder);
    return builder.result();
}

Json parse_json(std::string_view text, const std::string& path, std::string_view name,
                const TakeObject& take) {
    using Event = Json::parse_event_t;
    constexpr int of_member = 1, of_element = 2;
    Checker checker(path);
    parse(text, path, checker);
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
