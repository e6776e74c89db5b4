// The common part of tests of streams that our own libraries open.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "ovni/private.h"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {

inline int own_tid() {
    return static_cast<int>(syscall(SYS_gettid));
}

inline std::string host() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return std::string(name).substr(0, std::string(name).find('.'));
}

inline void identify(std::vector<int> cpus = {0, 1, 2, 3}, const char* loom = "host.us") {
    ovni_private_identity identity{3,       loom, "run.1", 2, 4, cpus.data(), static_cast<int>(cpus.size()),
                                   nullptr, 0};
    ovni_private_identify(&identity);
}

}  // namespace ovni::test
