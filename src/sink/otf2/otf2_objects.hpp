// The windows and files of an OTF2 archive, numbered apart, alike on all ranks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "messages/traffic_rows.hpp"
#include "sink/otf2/otf2_communicators.hpp"

namespace ovni {

class Otf2Objects {
 public:
    struct Object {
        std::string name;
        uint32_t communicator = 0;  // number
        bool is_made = false;       // some process has recorded the call that makes it
    };

    // `mine`: what processes of this rank know. Collective.
    Otf2Objects(const Ranks& ranks, const Otf2Communicators& communicators,
                const std::vector<ObjectFacts>& mine);

    // The index is the number.
    const std::vector<Object>& windows() const { return windows_; }
    const std::vector<Object>& files() const { return files_; }
    uint32_t number_of(const ObjectKey& key) const { return numbers_.at(key); }
    // True if the communicator of the window is known.
    bool knows_ranks(uint32_t window) const {
        return windows_[window].communicator != Otf2Communicators::of_all;
    }

 private:
    void add(const ObjectFacts& facts, const Otf2Communicators& communicators);

    std::vector<Object> windows_, files_;
    std::map<ObjectKey, uint32_t> numbers_;
};

}  // namespace ovni
