// Parses JSON as in stream.json. Comments are allowed and members keep their order. Throws Error if an object
// has a key twice, or if nesting exceeds 2048.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ovni {

// `path` is used only in errors, with the byte offset.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& path);

// Calls take(object) for each object in the array `name` of the top object, so that a long list needs no
// memory. Returns all other members.
using TakeObject = std::function<void(const nlohmann::ordered_json&)>;
nlohmann::ordered_json parse_json(std::string_view text, const std::string& path, std::string_view name,
                                  const TakeObject& take);

}  // namespace ovni
