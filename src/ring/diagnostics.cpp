#include "ring/diagnostics.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "ring/signal_mask.hpp"

namespace ovni::writer {
namespace {

// The stderr of the time when the library was loaded.
struct stat at_load;

[[gnu::constructor]] void look_at_stderr() {
    if (fstat(STDERR_FILENO, &at_load) != 0) at_load = {};
}

// The program may have closed it, and got its number for a file or a connection of its own. Another terminal
// or a file opened for appending is taken for a log.
bool has_stderr() {
    struct stat now {};
    if (fstat(STDERR_FILENO, &now) != 0) return false;
    bool is_same = now.st_dev == at_load.st_dev && now.st_ino == at_load.st_ino && at_load.st_mode != 0;
    bool appends = S_ISREG(now.st_mode) && (fcntl(STDERR_FILENO, F_GETFL) & O_APPEND);
    return is_same || appends || isatty(STDERR_FILENO);
}

// One write, so that lines of several threads and ranks do not mix. A pipe without a reader does not end the
// program.
void write_line(const char* text, size_t size) {
    int error = errno;
    sigset_t pipe, before, waiting;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&waiting);
    change_signals(SIG_BLOCK, pipe, &before);
    for (size_t at = 0; at < size;) {
        ssize_t n = ::write(STDERR_FILENO, text + at, size - at);
        if (n < 0 && errno != EINTR) break;
        if (n > 0) at += static_cast<size_t>(n);
    }
    timespec now{};
    if (errno == EPIPE && sigismember(&waiting, SIGPIPE) == 0) sigtimedwait(&pipe, nullptr, &now);
    change_signals(SIG_SETMASK, before);
    errno = error;
}

// Names and paths may have any bytes: some would make lines of their own, or speak to the terminal.
void hide_control_characters(char* text, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        auto byte = static_cast<unsigned char>(text[i]);
        auto next = static_cast<unsigned char>(i + 1 < size ? text[i + 1] : 0);
        if (byte < 0x20 || byte == 0x7f) text[i] = '?';
        // These are U+0080 to U+009F.
        if (byte == 0xc2 && next >= 0x80 && next < 0xa0) text[i] = text[i + 1] = '?';
    }
}

const char* reason_of(int error) {
    return error == ELOOP ? "it is, or lies behind, a symbolic link of another user, or one that is never "
                            "followed: remove it, or name another place"
                          : strerror(error);
}

size_t make_line(char (&line)[2048], const char* label, const char* function, const char* format,
                 va_list arguments) {
    int error = errno;
    // A path may be longer than the buffer; the reason behind it is printed in any case.
    bool has_reason = format[strlen(format) - 1] == ':';
    const size_t room = sizeof line - (has_reason ? 160 : 1);
    size_t used = 0;
    auto advance = [&](int printed) {
        if (printed > 0) used = used + static_cast<size_t>(printed) < room ? used + printed : room - 1;
    };
    advance(snprintf(line, room, "%s: ", label));
    if (function) advance(snprintf(line + used, room - used, "%s: ", function));
    advance(vsnprintf(line + used, room - used, format, arguments));
    if (has_reason)
        used += static_cast<size_t>(
            snprintf(line + used, 140, "%s %s", line[used - 1] == ':' ? "" : "...:", reason_of(error)));
    hide_control_characters(line, used);
    line[used++] = '\n';
    errno = error;
    return used;
}

std::atomic<unsigned> reported_kinds{0};

}  // namespace

void print(const char* text, size_t size) noexcept {
    if (has_stderr()) write_line(text, size);
}

void fatal(const char* function, const char* format, ...) noexcept {
    va_list arguments;
    va_start(arguments, format);
    char line[2048];
    // The program ends here, whatever it has put there.
    write_line(line, make_line(line, "FATAL", function, format, arguments));
    va_end(arguments);
    abort();
}

void warn(const char* format, ...) noexcept {
    va_list arguments;
    va_start(arguments, format);
    char line[2048];
    print(line, make_line(line, "WARN", nullptr, format, arguments));
    va_end(arguments);
}

void complain(Trouble kind, const char* function, const char* format, ...) noexcept {
    unsigned bit = 1u << static_cast<unsigned>(kind);
    if (reported_kinds.fetch_or(bit) & bit) return;
    va_list arguments;
    va_start(arguments, format);
    char line[2048];
    print(line, make_line(line, "ERROR", function, format, arguments));
    va_end(arguments);
}

}  // namespace ovni::writer
