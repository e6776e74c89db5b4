#include "drain/stream_gaps.hpp"

#include <string>
#include <utility>
#include <vector>

#include "drain/flight.hpp"
#include "ring/diagnostics.hpp"
#include "ring/stream_names.hpp"

namespace ovni::writer {

std::string StreamGaps::path() const {
    return place_.path_of(gaps_file);
}

void StreamGaps::load() {
    list_ = Gaps::load(path());
}

void StreamGaps::take_up() {
    const RingProgress& progress = ring_.progress();
    load();
    list_.go_back_to(progress.gaps);
    for (Gap& gap : gaps_of(progress.unsaved, progress.unsaved_at, error_gap)) list_.add(std::move(gap));
}

bool StreamGaps::save() {
    const std::string file = path();
    if (list_.save(file)) return true;
    complain(Trouble::metadata, "drain", "cannot write %s:", file.c_str());
    return false;
}

void StreamGaps::note_in(RingProgress& now) const {
    now.gaps = list_.is_saved() ? list_.mark() : ring_.progress().gaps;
    now.unsaved = {};
    const std::vector<Gap> unsaved = list_.behind(now.gaps);
    for (const Gap& gap : unsaved) skip(now.unsaved, gap);
    if (!unsaved.empty()) now.unsaved_at = unsaved.front().offset;
}

void StreamGaps::reserve() const {
    Gaps::reserve(path());
}

void StreamGaps::give_up_reserve() const {
    Gaps::give_up_reserve(path());
}

}  // namespace ovni::writer
