// JSON as text in the exact style of stream.json: 4 blanks per level, one member per line, numbers as %1.17g,
// '/' escaped, no newline at the end; or compact, without any blank. Invalid UTF-8 becomes U+FFFD.
#pragma once

#ifndef JSON_NOEXCEPTION
#define JSON_NOEXCEPTION
#endif
#ifndef JSON_NO_IO
#define JSON_NO_IO
#endif
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ovni::writer {

using Json = nlohmann::ordered_json;

enum class JsonStyle { pretty, compact };

std::string json_text(const Json& value, JsonStyle style);

// The C API has doubles; clocks need more digits.
enum class JsonNumbers { doubles, as_written };

// Empty if the text is no JSON, has a key twice in one object, or nests deeper than 2048.
std::optional<Json> json_parse(const char* text, JsonNumbers numbers = JsonNumbers::doubles);

}  // namespace ovni::writer
