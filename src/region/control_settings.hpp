// The settings of the controller, from environment variables that options of ovnirun set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "region/chain_text.hpp"
#include "region/engine.hpp"

namespace ovni::region {

// The scope in which an event starts or stops recording.
enum class Scope : uint8_t {
    thread,   // the thread that fires; with bcast all threads
    process,  // all threads
    job       // all ranks, which agree on the moment
};

std::optional<Scope> parse_scope(std::string_view text) noexcept;

// "0,3-5". Empty: all.
class RankList {
 public:
    static Fault parse(std::string_view text, RankList& list) noexcept;
    bool holds(uint32_t rank) const noexcept;

 private:
    struct Range {
        uint64_t first, last;
    };
    std::vector<Range> ranges_;
};

// The rank from the launcher's environment.
std::optional<uint32_t> own_rank() noexcept;

// How instructions are counted.
struct Counting {
    bool is_exact = false;  // OVNI_CONTROL_ACCURACY: block or exact
    std::string images;     // OVNI_CONTROL_ICOUNT_IMAGES: names of files, separated by commas; empty: all
    std::string counter = "cache";  // OVNI_CONTROL_COUNTER: cache, processor or time
};

struct ControlSettings {
    std::vector<std::string> chains;  // OVNI_CONTROL
    Scope scope = Scope::process;     // OVNI_CONTROL_SCOPE
    RankList ranks;                   // OVNI_CONTROL_RANKS
    std::string log;                  // OVNI_CONTROL_LOG: a file, %r and %p in its name; empty: none
    DefaultStart default_start = DefaultStart::on;  // OVNI_CONTROL_DEFAULT_START
    Counting counting;

    static Fault from_environment(ControlSettings& settings) noexcept;
    // True if the settings apply to the rank. A program without a launcher's rank is rank 0.
    bool concern(std::optional<uint32_t> rank) const noexcept { return ranks.holds(rank.value_or(0)); }
};

}  // namespace ovni::region
