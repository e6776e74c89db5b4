// The fixed text of a page, made from the files in page/ when the project is built.
#pragma once

#include <string_view>

namespace ovni::page_parts {

extern const std::string_view before_data, behind_data;

}  // namespace ovni::page_parts
