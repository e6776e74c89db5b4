#include "runtime/marks.hpp"

#include <string>

#include "ovni.h"

namespace ovni::writer {
namespace {

std::string path_of(int32_t type) {
    return "ovni.mark." + std::to_string(type);
}

}  // namespace

MarkResult add_mark_type(Metadata& metadata, int32_t type, long flags, const char* title) {
    std::string path = path_of(type);
    if (metadata.find(path.c_str())) return MarkResult::exists;
    Json mark;
    mark["title"] = title;
    mark["chan_type"] = flags & OVNI_MARK_STACK ? "stack" : "single";
    if (flags & OVNI_MARK_PUNCTUAL) mark["punctual"] = true;
    return metadata.set(path.c_str(), std::move(mark)) ? MarkResult::added : MarkResult::no_object;
}

MarkResult add_mark_label(Metadata& metadata, int32_t type, int64_t value, const char* label) {
    std::string path = path_of(type);
    if (!metadata.find(path.c_str())) return MarkResult::unknown_type;
    path += ".labels." + std::to_string(value);
    if (metadata.find(path.c_str())) return MarkResult::exists;
    return metadata.set(path.c_str(), label) ? MarkResult::added : MarkResult::no_object;
}

}  // namespace ovni::writer
