#include "base/wrapped_text.hpp"

#include <algorithm>
#include <vector>

namespace ovni {

namespace {

constexpr size_t margin = 2, column_of_meaning = 28;

// Continuation bytes of UTF-8 take no column.
size_t columns_of(std::string_view word) {
    return static_cast<size_t>(
        std::ranges::count_if(word, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string_view next_word(std::string_view& text) {
    size_t begin = std::min(text.find_first_not_of(" \n"), text.size());
    size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return word;
}

enum class BlockKind { none, heading, paragraph, item, code };

struct Block {
    BlockKind kind = BlockKind::none;
    std::string text;
};

BlockKind kind_of(std::string_view line) {
    if (line.find_first_not_of(' ') == line.npos) return BlockKind::none;
    if (line.starts_with('#')) return BlockKind::heading;
    if (line.starts_with("- ")) return BlockKind::item;
    if (line.starts_with("    ")) return BlockKind::code;
    return BlockKind::paragraph;
}

std::string_view take_line(std::string_view& text) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

// Lines of one block; blocks of kind none are blank lines.
std::vector<Block> blocks_of(std::string_view markdown) {
    std::vector<Block> blocks;
    BlockKind open = BlockKind::none;
    while (!markdown.empty()) {
        std::string_view line = take_line(markdown);
        BlockKind kind = kind_of(line);
        bool goes_on =
            (kind == BlockKind::paragraph && (open == BlockKind::paragraph || open == BlockKind::item)) ||
            (kind == BlockKind::code && open == BlockKind::code);
        if (goes_on)
            blocks.back().text.append("\n").append(line);
        else
            blocks.push_back({kind, std::string(line)});
        open = goes_on ? open : kind;
    }
    while (!blocks.empty() && blocks.back().kind == BlockKind::none) blocks.pop_back();
    return blocks;
}

void append_item(std::string& out, std::string_view item, size_t width) {
    item.remove_prefix(2);
    size_t end = item.starts_with('`') ? item.find("`: ") : item.npos;
    if (end != item.npos) {
        append_row(out, item.substr(1, end - 1), item.substr(end + 3), width);
        return;
    }
    out.append(margin, ' ').append("- ");
    append_wrapped(out, item, margin + 2, margin + 2, width);
}

void append_block(std::string& out, const Block& block, size_t width) {
    std::string_view text = block.text;
    switch (block.kind) {
        case BlockKind::none:
            out += '\n';
            return;
        case BlockKind::heading:
            text.remove_prefix(std::min(text.find_first_not_of("# "), text.size()));
            out.append(text).append("\n");
            return;
        case BlockKind::paragraph:
            append_wrapped(out, text, 0, 0, width);
            return;
        case BlockKind::item:
            append_item(out, text, width);
            return;
        case BlockKind::code:
            while (!text.empty()) out.append(margin, ' ').append(take_line(text).substr(4)).append("\n");
            return;
    }
}

}  // namespace

void append_wrapped(std::string& out, std::string_view text, size_t column, size_t indent, size_t width) {
    bool is_first = true;
    for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
        size_t columns = columns_of(word);
        if (!is_first && column + 1 + columns > width) {
            out.append("\n").append(indent, ' ');
            column = indent;
        } else if (!is_first) {
            out += ' ';
            ++column;
        }
        out += word;
        column += columns;
        is_first = false;
    }
    out += '\n';
}

void append_row(std::string& out, std::string_view term, std::string_view meaning, size_t width) {
    out.append(margin, ' ').append(term);
    size_t column = margin + columns_of(term);
    if (column + 2 > column_of_meaning) {
        out += '\n';
        column = 0;
    }
    out.append(column_of_meaning - column, ' ');
    append_wrapped(out, meaning, column_of_meaning, column_of_meaning, width);
}

std::string wrapped_markdown(std::string_view markdown, size_t width) {
    std::string out;
    for (const Block& block : blocks_of(markdown)) append_block(out, block, width);
    return out;
}

}  // namespace ovni
