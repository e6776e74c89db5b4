// The name of this node.
#pragma once

#include <unistd.h>

#include <climits>
#include <string>

namespace ovni {

// The whole name that gethostname gives.
inline std::string host_name() {
    char name[HOST_NAME_MAX + 1] = {};
    ::gethostname(name, HOST_NAME_MAX);
    return name;
}

}  // namespace ovni
