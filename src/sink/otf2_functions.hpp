// The MPI functions in the terms of OTF2.
#pragma once

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>

#include <optional>
#include <string_view>

namespace ovni {

// `name`: as in labels, "MPI_Send".
OTF2_RegionRole otf2_role(std::string_view name);

struct Otf2Collective {
    OTF2_CollectiveOp operation;
    enum class Blocking : uint8_t { yes, no } blocking = Blocking::yes;
};
// Does a call post one receive, and nothing else? It makes a request.
bool otf2_posts_receive(std::string_view name);
// Nothing for a function that OTF2 has no operation for.
std::optional<Otf2Collective> otf2_collective(std::string_view name);

}  // namespace ovni
