// An OTF2 archive in a directory while it is written, by one rank for itself: it has events of some locations
// and, on one rank, the definitions of all. Its files are traces.otf2, traces.def and traces/. Functions
// throw Error. The format is that of the OTF2 library, 3.0 (www.score-p.org).
#pragma once

#include <otf2/otf2.h>

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ovni {

class Otf2Archive {
 public:
    explicit Otf2Archive(std::filesystem::path directory);
    ~Otf2Archive();
    Otf2Archive(const Otf2Archive&) = delete;
    Otf2Archive& operator=(const Otf2Archive&) = delete;

    // Throws if the library has reported an error.
    void check(OTF2_ErrorCode code) const;
    // It lives as long as the archive, or until end_events().
    OTF2_EvtWriter* events_of(uint64_t location);
    // Events of all locations are written; regions[i] is the global number of the region i of a location.
    struct OfLocation {
        uint64_t location;
        std::vector<uint32_t> regions;
    };
    void end_events(std::span<const OfLocation> locations);
    OTF2_GlobalDefWriter* definitions();
    void close();

 private:
    std::filesystem::path directory_;
    OTF2_Archive* archive_ = nullptr;
    std::map<uint64_t, OTF2_EvtWriter*> writers_;
};

// Gives a closed archive a number that follows from its content alone: the library takes one from the clock.
void set_trace_number(const std::filesystem::path& directory, uint64_t number);

}  // namespace ovni
