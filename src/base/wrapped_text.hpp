// Markdown as text for a terminal: paragraphs wrapped, items of lists with their terms in a column.
#pragma once

#include <string>
#include <string_view>

namespace ovni {

// Appends the words of `text` in lines of at most `width` columns, each except the first after `indent`
// blanks. The first line begins at column `column`.
void append_wrapped(std::string& out, std::string_view text, size_t column, size_t indent, size_t width);

// Appends a term, and its meaning in a separate column.
void append_row(std::string& out, std::string_view term, std::string_view meaning, size_t width);

// Headings, paragraphs, items ("- `term`: meaning" or "- text") and code, indented by four blanks.
std::string wrapped_markdown(std::string_view markdown, size_t width);

}  // namespace ovni
