// A program that changes its root takes the paths of the trace away from its later threads, so the first root
// is kept (ring/first_root.hpp).
#include <unistd.h>

#include <cerrno>

#include "core/next_function.hpp"
#include "ovni/private.h"

namespace {

constinit ovni::NextFunction<int(const char*)> real_chroot{"chroot"};

// A child of vfork() should look up nothing.
[[gnu::constructor]] void find_real_chroot() {
    real_chroot.get();
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" int chroot(const char* path) noexcept {
    if (!real_chroot.get()) {
        errno = ENOSYS;
        return -1;
    }
    const int is_kept = ovni_private_keep_root();
    const int result = real_chroot.get()(path);
    const int cause = errno;
    if (result != 0 && is_kept) ovni_private_leave_root();
    errno = cause;
    return result;
}

#pragma GCC visibility pop
