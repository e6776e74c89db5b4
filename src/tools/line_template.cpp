#include "tools/line_template.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/utf8.hpp"
#include "ovni/format.h"

namespace ovni {

namespace {

constexpr size_t most_number_digits = 20;  // with the sign

bool is_control(char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

std::string in_one_line(std::string text) {
    std::replace_if(text.begin(), text.end(), is_control, '?');
    return valid_utf8(text);
}

template <class Integer>
char* print(char* out, const uint8_t* bytes) {
    Integer value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return std::to_chars(out, out + most_number_digits, value).ptr;
}

using Print = char* (*)(char* out, const uint8_t* bytes);

// Functions by ArgumentType, of the integers.
constexpr Print printers[] = {print<uint8_t>, print<uint16_t>, print<uint32_t>, print<uint64_t>,
                              print<int8_t>,  print<int16_t>,  print<int32_t>,  print<int64_t>};

}  // namespace

std::string printable(EventCode code) {
    auto text = code.text();
    std::string result(text.data(), 3);
    for (char& c : result)
        if (is_control(c) || c < 0) c = '?';
    return result;
}

LineTemplate::LineTemplate(EventCode code) : entry_(&find_event(code)), code_("  " + printable(code) + "  ") {
    prepared_ = is_known() && prepare();
    details_ = is_known() ? entry_->model->details : nullptr;
    constant_ = prepared_ && pieces_.empty();
}

// False if the description has anything but integers in the format of their type, or may become too long.
bool LineTemplate::prepare() {
    const Signature& signature = entry_->signature;
    std::string_view left = entry_->event->description;
    std::string before;
    size_t longest = 0;
    while (!left.empty()) {
        DescriptionPiece piece = next_piece(left, signature);
        if (piece.fault) return false;
        before += piece.text;
        longest += piece.text.size();
        if (!piece.argument) continue;
        if (!piece.format.empty() || !is_integer(piece.argument->type)) return false;
        pieces_.push_back({PaddedText(in_one_line(before)), *piece.argument});
        before.clear();
        longest += most_number_digits;
    }
    end_ = PaddedText(in_one_line(before) + "\n");
    needed_ = signature.fixed_bytes() + (signature.jumbo ? OVNI_FORMAT_JUMBO_SIZE : 0);
    return longest < longest_description;
}

char* LineTemplate::describe_arguments_to(char* out, std::span<const uint8_t> payload) const {
    bool more = details_ && payload.size() > needed_;
    if (!prepared_ || payload.size() < needed_ || more) {
        std::string text = in_one_line(
            describe(entry_->event->description, entry_->signature, payload, entry_->event->name_of));
        if (more) text += details_(entry_->signature.code, payload);
        text.resize(std::min(text.size(), longest_description - 1));
        text += '\n';
        return std::copy(text.begin(), text.end(), out);
    }
    const uint8_t* arguments = payload.data() + (entry_->signature.jumbo ? OVNI_FORMAT_JUMBO_SIZE : 0);
    for (const Piece& piece : pieces_) {
        out = piece.before.copy_to(out);
        out = printers[static_cast<size_t>(piece.argument.type)](out, arguments + piece.argument.offset);
    }
    return end_.copy_to(out);
}

}  // namespace ovni
