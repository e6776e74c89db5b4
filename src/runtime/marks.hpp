// Mark types and the labels of their values in a stream's metadata, below "ovni.mark".
#pragma once

#include <cstdint>

#include "runtime/metadata.hpp"

namespace ovni::writer {

enum class MarkResult { added, exists, unknown_type, no_object };

MarkResult add_mark_type(Metadata& metadata, int32_t type, long flags, const char* title);
MarkResult add_mark_label(Metadata& metadata, int32_t type, int64_t value, const char* label);

constexpr bool is_mark_type(int32_t type) {
    return type >= 0 && type < 100;
}

}  // namespace ovni::writer
