#include "mpi/sync/interruption.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <iterator>
#include <string>

namespace ovni::sync {

namespace {

// The handler reads only entries below the count, which are complete.
struct {
    std::string beside[3], name;
    std::atomic<size_t> count{0};
    std::atomic<bool> keeps_first{false};
} unfinished;

void tidy_up(int number) {
    for (size_t i = 0; i < unfinished.count; ++i) {
        const char* beside = unfinished.beside[i].c_str();
        if (i > 0 || !unfinished.keeps_first || ::rename(beside, unfinished.name.c_str()) != 0)
            ::unlink(beside);
    }
    ::signal(number, SIG_DFL);
    ::raise(number);
}

}  // namespace

Interruption::Interruption() {
    struct sigaction action {};
    action.sa_handler = tidy_up;
    for (size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &action, &before_[i]);
}

Interruption::~Interruption() {
    for (size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &before_[i], nullptr);
    unfinished.count = 0;
    unfinished.keeps_first = false;
}

void Interruption::remove(const OutputFile& file) {
    size_t count = unfinished.count;
    unfinished.beside[count] = file.beside();
    if (count == 0) unfinished.name = file.target();
    unfinished.count = count + 1;
}

void Interruption::keep_first() {
    unfinished.keeps_first = true;
}

}  // namespace ovni::sync
