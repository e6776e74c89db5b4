#include "sink/paraver/row.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/printable.hpp"

namespace ovni {

std::string row_text(const FileSchema& schema) {
    std::string text =
        fmt::format("LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE {}\n", schema.rows->size());
    for (std::string_view label : schema.rows->all()) text += one_line(label) + '\n';
    return text;
}

}  // namespace ovni
