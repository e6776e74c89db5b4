// JSON as stream.json has it. Comments are allowed and members keep their order. It is an error if an object
// has a key twice, or if nesting exceeds 2048.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ovni {

// `path` is for errors only, which name the file and the byte offset.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& path);

// Hands over the objects in the array `name` of the top object one by one: a long list needs no memory. The
// result has what remains, that is everything else.
using TakeObject = std::function<void(const nlohmann::ordered_json&)>;
nlohmann::ordered_json parse_json(std::string_view text, const std::string& path, std::string_view name,
                                  const TakeObject& take);

}  // namespace ovni
