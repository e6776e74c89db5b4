#include "tools/text_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/error.hpp"

namespace ovni {

TextOutput::TextOutput() {
    std::signal(SIGPIPE, SIG_IGN);
}

TextOutput::Reader TextOutput::flush() {
    for (size_t done = 0; reader_ == Reader::there && done < text_.size();) {
        ssize_t n = ::write(STDOUT_FILENO, text_.data() + done, text_.size() - done);
        if (n >= 0)
            done += static_cast<size_t>(n);
        else if (errno == EPIPE)
            reader_ = Reader::gone;
        else if (errno != EINTR)
            throw system_error("cannot write", "stdout");
    }
    text_.clear();
    return reader_;
}

}  // namespace ovni
