// JSON as stream.json has it: comments allowed, a key twice in one object or nesting above 2048 is an error,
// members keep their order.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ovni {

// `path` only names the file in errors, with the byte offset.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& path);

}  // namespace ovni
