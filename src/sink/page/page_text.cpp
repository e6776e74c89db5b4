#include "sink/page/page_text.hpp"

#include <nlohmann/json.hpp>

#include "sink/page/page_parts.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

// Such characters stand in texts only, never in the structure of JSON.
std::string without_markup(const std::string& json) {
    std::string text;
    text.reserve(json.size());
    for (const char c : json) {
        switch (c) {
            case '<':
                text += "\\u003c";
                break;
            case '>':
                text += "\\u003e";
                break;
            case '&':
                text += "\\u0026";
                break;
            default:
                text += c;
        }
    }
    return text;
}

}  // namespace

std::string page_text(const Json& data) {
    std::string text(page_parts::before_data);
    text += without_markup(data.dump(-1, ' ', true, Json::error_handler_t::replace));
    text += page_parts::behind_data;
    return text;
}

}  // namespace ovni
