// Much text on stdout: collected and written in large blocks. A reader that goes away (`| head`) is no error:
// write() then returns Reader::gone and the tool ends in peace.
#pragma once

#include <fmt/format.h>

namespace ovni {

class TextOutput {
 public:
    enum class Reader { there, gone };

    TextOutput();  // SIGPIPE is ignored from now on

    fmt::memory_buffer& text() { return text_; }
    // Writes the text once it has grown large; call it after each line.
    Reader write() { return text_.size() < block ? reader_ : flush(); }
    // Writes what is left. Throws Error where stdout cannot be written.
    Reader flush();

 private:
    static constexpr size_t block = size_t{256} << 10;
    fmt::memory_buffer text_;
    Reader reader_ = Reader::there;
};

}  // namespace ovni
