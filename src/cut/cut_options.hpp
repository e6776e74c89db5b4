// The part of a trace that a cut is to keep.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cut/focus.hpp"
#include "emu/plan/system.hpp"
#include "ovni/event_code.hpp"
#include "trace/trace.hpp"

namespace ovni {

// The form of the streams that are written. as_it_was: each as it is in the trace.
enum class StreamForm { as_it_was, plain, packed };

struct CutOptions {
    Focus focus;
    std::set<std::string> looms = {};  // empty: all
    std::string models = {};           // their characters; empty: all
    std::optional<std::string> clock_table = {};
    Regions regions = Regions::as_they_are;
    StreamForm form = StreamForm::as_it_was;

    // The life cycle and the CPUs of threads stay even if their model, ovni, is not among the models.
    bool keeps(EventCode code) const {
        bool is_life = code.model() == 'O' && (code.category() == 'H' || code.category() == 'A');
        return models.empty() || is_life || keeps_model(code.model());
    }
    bool keeps_model(char model) const { return models.empty() || models.find(model) != std::string::npos; }
};

// The streams that the ranks and looms choose, by stream. Throws Error for a rank or loom that is not there.
std::vector<bool> chosen_streams(const Trace& trace, const System& system, const CutOptions& options);

// True if a CPU that threads have run on shows something while no thread runs on it.
bool shows_idle_cpus(const Trace& trace, const CutOptions& options);

}  // namespace ovni
