// The common part of all lines of one event code, prepared once: its characters and its description, cut into
// text and arguments.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/model_spec.hpp"
#include "tools/padded_text.hpp"

namespace ovni {

class LineTemplate {
 public:
    // A description has no more bytes than this; with the end of the line.
    static constexpr size_t longest_description = 1023;

    explicit LineTemplate(EventCode code);

    // "  CODE  "
    const PaddedText& code() const { return code_; }
    // True if an event with that kind of payload has a description.
    bool describes(bool jumbo) const { return entry_->event && entry_->signature.jumbo == jumbo; }
    bool is_known() const { return entry_->event != nullptr; }
    // Writes the description and the end of the line, and returns their end. Call only if describes().
    char* describe_to(char* out, std::span<const uint8_t> payload) const {
        if (constant_ && (payload.empty() || !details_)) return end_.copy_to(out);
        return describe_arguments_to(out, payload);
    }

    bool reported = false;  // as unknown

 private:
    // An argument in the default format of its type, with the text before it.
    struct Piece {
        PaddedText before;
        Argument argument;
    };

    bool prepare();
    char* describe_arguments_to(char* out, std::span<const uint8_t> payload) const;

    const EventEntry* entry_;
    PaddedText code_;
    std::vector<Piece> pieces_;
    PaddedText end_;  // what is behind the last piece
    DetailsOf* details_ = nullptr;
    bool constant_ = false;  // nothing but end_
    bool prepared_ = false;  // else describe() does it
    size_t needed_ = 0;      // bytes of payload, for all pieces
};

// The three characters of a code, with '?' for what cannot be printed.
std::string printable(EventCode code);

}  // namespace ovni
