#include "base/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace ovni {

using Json = nlohmann::ordered_json;

namespace {

// The keys of one object. Most have few.
class Keys {
 public:
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
        if (!keys_.back().insert(name)) throw Error("JSON key '" + name + "' twice in one object", path_);
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
    std::vector<Keys> keys_;  // of every object around
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
    bool start_object(size_t size) override {
        constexpr size_t usual_members = 16;
        open(Json::object()).get_ref<Json::object_t&>().reserve(usual_members);
        return Checker::start_object(size);
    }
    bool start_array(size_t size) override {
        open(Json::array());
        return Checker::start_array(size);
    }
    bool end_object() override { return close() && Checker::end_object(); }
    bool end_array() override { return close() && Checker::end_array(); }
    bool key(string_t& name) override {
        Checker::key(name);
        key_ = std::move(name);
        return true;
    }

    Json result() { return std::move(result_); }

 private:
    // The place of the value. It stays there as long as what is in it is made.
    Json& add(Json value) {
        if (around_.empty()) return result_ = std::move(value);
        Json& parent = *around_.back();
        if (parent.is_array()) return parent.get_ref<Json::array_t&>().emplace_back(std::move(value));
        return parent.get_ref<Json::object_t&>().emplace_back(std::move(key_), std::move(value)).second;
    }
    bool put(Json value) {
        add(std::move(value));
        return true;
    }
    Json& open(Json value) {
        around_.push_back(&add(std::move(value)));
        return *around_.back();
    }
    bool close() {
        around_.pop_back();
        return true;
    }

    Json result_;
    std::vector<Json*> around_;
    std::string key_;
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
