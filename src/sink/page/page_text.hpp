// The text of a page: one HTML file with its style, its program and its data, which loads nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ovni {

// Names in the data may be any bytes: nothing of them ends the element that holds them, or is taken as HTML.
std::string page_text(const nlohmann::ordered_json& data);

}  // namespace ovni
