// Rows of threads that emit nothing, for libovni-threads.so (ovni/private.h).
#include <unistd.h>

#include <cstdlib>

#include "ovni/private.h"
#include "ring/first_root.hpp"
#include "runtime/border_follower.hpp"
#include "runtime/thread.hpp"

#pragma GCC visibility push(default)

using namespace ovni::writer;

void ovni_private_introduce_process() {
    if (is_inside()) return;
    SlowPath slow;
    process().introduce_by_environment();
}

void ovni_private_show_threads() {
    if (is_inside()) return;
    ovni_private_introduce_process();
    show_rows();
}

// A child that soon becomes another program has nothing to count.
void ovni_private_show_thread(int unless_exec) {
    show_thread(unless_exec ? Row::unless_exec : Row::always);
    const auto* follower = border_follower.load(std::memory_order_relaxed);
    if (follower && !unless_exec && !is_inside()) follower->begin();
}

int ovni_private_program_describes_itself() {
    return are_rows_withdrawn();
}

void ovni_private_name_thread(pthread_t thread, const char* name) {
    if (is_inside() || !name) return;
    Stream* own = this_thread().stream;
    if (own && own->is_of(thread)) return own->set_name(name);
    streams().visit([&](Stream& stream) {
        if (stream.is_of(thread)) stream.set_name(name);
    });
}

// A child of vfork() is its parent's thread, which goes on.
void ovni_private_expect_exec(int is_coming) {
    if (is_inside() || !is_this_process()) return;
    if (is_coming) {
        end_counting();
        close_held(0);
    }
    streams().visit_soon([&](Stream& stream) { stream.expect_exec(is_coming != 0); });
}

// The drainer below ovnirun needs no more than the report.
void ovni_private_expect_end(int status) {
    if (is_inside() || !is_this_process()) return;
    const int code = exit_code_of(status);
    end_counting();
    streams().visit_soon([&](Stream& stream) {
        if (stream.has_row()) stream.end_with_process(code);
    });
}

// A child of vfork() has other descriptors. Where the trace goes is known before the program's paths change.
int ovni_private_keep_root() {
    if (is_inside() || !is_this_process()) return 0;
    SlowPath slow;
    process().prepare();
    return keep_first_root();
}

void ovni_private_leave_root() {
    if (is_inside() || !is_this_process()) return;
    SlowPath slow;
    leave_first_root();
}

int ovni_private_is_program() {
    if (is_inside()) return 0;
    SlowPath slow;
    const char* directory = secure_getenv("OVNI_SESSION");
    if (!directory || !*directory) return 0;
    const Session session = Session::open(directory);
    return session.is_valid() && session.header().program.load(std::memory_order_relaxed) == getpid();
}

#pragma GCC visibility pop
