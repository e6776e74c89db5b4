#include "ring/stack_range.hpp"

#include <pthread.h>
#include <signal.h>

#include <cerrno>

namespace ovni::writer {
namespace {

// It may lie in the stack of the thread.
bool may_be_on_stack_of_handlers() noexcept {
    int kept = errno;
    stack_t other{};
    bool is_known = sigaltstack(nullptr, &other) == 0;
    errno = kept;
    return !is_known || (other.ss_flags & SS_ONSTACK);
}

}  // namespace

StackRange own_stack() noexcept {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
    void* begin = nullptr;
    size_t bytes = 0;
    pthread_attr_getstack(&attributes, &begin, &bytes);
    pthread_attr_destroy(&attributes);
    return {reinterpret_cast<uintptr_t>(begin), reinterpret_cast<uintptr_t>(begin) + bytes};
}

bool stands_behind(const StackRange& stack, uintptr_t frame, uintptr_t here) noexcept {
    if (!stack.holds(here) || (stack.holds(frame) && here < frame)) return false;
    return !may_be_on_stack_of_handlers();
}

}  // namespace ovni::writer
