#include "base/json.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/error.hpp"

namespace ovni {

using Json = nlohmann::ordered_json;

Json parse_json(std::string_view text, const std::string& path) {
    constexpr int deepest = 2048;
    std::vector<std::set<std::string>> keys;
    auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
        using Event = Json::parse_event_t;
        if (depth > deepest) throw Error("JSON nested too deep", path);
        if (event == Event::object_start) keys.emplace_back();
        if (event == Event::object_end && !keys.empty()) keys.pop_back();
        if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second)
            throw Error("JSON key '" + parsed.get<std::string>() + "' twice in one object", path);
        return true;
    };
    try {
        return Json::parse(text.begin(), text.end(), check, true, true);
    } catch (const Json::parse_error& e) {
        std::string_view what = e.what();
        if (auto at = what.find("] "); at != what.npos) what.remove_prefix(at + 2);
        throw Error("not valid JSON: " + std::string(what), path, e.byte);
    }
}

}  // namespace ovni
