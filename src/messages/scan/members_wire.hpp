// The fields of the data that ranks exchange before they match messages (wire.hpp).
#pragma once

#include <tuple>

#include "base/wire.hpp"
#include "messages/scan/process_facts.hpp"

namespace ovni {

inline auto fields(MemberList& list) {
    return std::tie(list.communicator, list.flags, list.size, list.world, list.process, list.members);
}

}  // namespace ovni
