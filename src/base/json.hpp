// JSON as stream.json has it. Comments are allowed and members keep their order. It is an error if an object
// has a key twice, or if nesting exceeds 2048.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ovni {

// `path` is for errors only, which name the file and the byte offset.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& path);

}  // namespace ovni
