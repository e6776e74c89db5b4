#include "session/replay/interruption.hpp"

#include <csignal>

namespace ovni {

namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

void stop_in_order() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &action, nullptr);
}

bool is_interrupted() {
    return interrupted != 0;
}

}  // namespace ovni
