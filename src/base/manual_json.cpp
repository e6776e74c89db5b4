#include <nlohmann/json.hpp>

#include "base/manual.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

Json as_json(const OptionRow& row) {
    return {{"name", row.name},         {"letter", row.letter}, {"value", row.value},
            {"variable", row.variable}, {"text", row.text},     {"standard", row.standard}};
}

}  // namespace

std::string manual_as_json(const Manual& manual) {
    Json options = Json::array(), topics = Json::array();
    for (const OptionRow& row : manual.options) options.push_back(as_json(row));
    for (const OptionRow* row : {&help_option(), &version_option()}) options.push_back(as_json(*row));
    for (const Topic* topic : manual.topics)
        topics.push_back({{"name", topic->name}, {"title", topic->title()}, {"text", topic->text}});
    Json all = {{"program", manual.program},
                {"summary", manual.summary},
                {"usage", manual.usage},
                {"words", manual.words},
                {"description", manual.description},
                {"options", options},
                {"lists", manual.lists},
                {"topics", topics}};
    return all.dump(1) + "\n";
}

}  // namespace ovni
