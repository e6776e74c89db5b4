// The part of a trace that ovnicut is to keep.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/cli.hpp"
#include "emu/system.hpp"
#include "ovni/event_code.hpp"
#include "trace/trace.hpp"

namespace ovni {

// Numbers from 0 on, kept as ranges.
class RankSet {
 public:
    void add(int first, int last);
    bool empty() const { return ranges_.empty(); }
    bool contains(int rank) const;
    // The least one that is not among these.
    std::optional<int> first_beyond(const std::set<int>& known) const;

 private:
    std::map<int, int> ranges_;  // first to last, apart from each other
};

struct CutOptions {
    std::filesystem::path trace, output;
    std::optional<int64_t> from, to;  // ns since the first event of the trace: [from, to)
    RankSet ranks;                    // empty: all, also those that have none
    std::set<std::string> looms;      // empty: all
    std::string models;               // their characters; empty: all
    std::optional<std::string> clock_table;
    Regions regions = Regions::as_they_are;

    // The life cycle and the CPUs of threads stay even if their model, ovni, is not among the models.
    bool keeps(EventCode code) const {
        bool is_life = code.model() == 'O' && (code.category() == 'H' || code.category() == 'A');
        return models.empty() || is_life || keeps_model(code.model());
    }
    bool keeps_model(char model) const { return models.empty() || models.find(model) != std::string::npos; }
};

// Declares the command line; read_cut_options() interprets it. Throws UsageError.
Cli cut_cli();
CutOptions read_cut_options(const Cli& cli);

// "1.5s", "300ms", "20us", "123456ns"; a 0 needs no unit. Throws UsageError, also for a part of a ns.
int64_t parse_duration(const std::string& text);
// "0,4-7"
RankSet parse_ranks(const std::string& text);

// The streams that the ranks and looms choose, by stream. Throws Error for a rank or loom that is not there.
std::vector<bool> chosen_streams(const Trace& trace, const System& system, const CutOptions& options);

// Does a CPU that a thread has run on show something when none does?
bool shows_idle_cpus(const Trace& trace, const CutOptions& options);

}  // namespace ovni
