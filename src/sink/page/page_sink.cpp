#include "sink/page/page_sink.hpp"

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "sink/output_names.hpp"
#include "sink/page/page_summary.hpp"
#include "sink/page/page_text.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

// Details of the timeline that are left out of a page that is too large, the least important first.
std::string text_that_fits(Json& page) {
    auto drop_clips = [](const char* kind) {
        return [kind](Json& timeline) {
            for (Json& window : timeline["windows"])
                if (window["kind"] == kind) window["clips"].clear();
        };
    };
    const std::array<std::function<void(Json&)>, 7> sacrifices = {
        drop_clips("whole"),
        [](Json& timeline) { timeline["messages"].clear(); },
        drop_clips("region"),
        [](Json& timeline) { timeline["counters"] = nullptr; },
        [](Json& timeline) { timeline["rows"]["cells"].clear(); },
        drop_clips("wait"),
        [](Json& timeline) { timeline["rows"]["names"].clear(); },
    };
    std::string text = page_text(page);
    for (const auto& sacrifice : sacrifices) {
        if (text.size() <= PageSink::most_bytes) break;
        sacrifice(page["timeline"]);
        text = page_text(page);
    }
    return text;
}

}  // namespace

void PageSink::expect(const Expected& expected) {
    longest_waits_.assign(expected.longest_waits.begin(), expected.longest_waits.end());
}

void PageSink::begin(const Ranks& ranks, const Plan& plan) {
    ranks_ = &ranks;
    ranks.agree([&] {
        if (ranks.is_root()) output_.emplace(path_);
    });
    timeline_.emplace(ranks, plan.schema, longest_waits_);
}

void PageSink::share(const Slice& slice) {
    timeline_->share(slice.records);
}

void PageSink::write(const Slice& slice) {
    timeline_->write(slice.messages);
}

void PageSink::end(const Outcome& outcome) {
    Json timeline = timeline_->end(outcome.schema, outcome.duration);
    ranks_->agree([&] {
        if (!output_) return;
        Json page = {{"format", "ovni-mpi page"}, {"version", 1}};
        page.update(page_summary(outcome.report));
        page["began"] = outcome.schema.began ? Json(*outcome.schema.began) : Json();
        page["timeline"] = std::move(timeline);
        output_->write(text_that_fits(page));
        commit(*output_, path_, outcome.ending);
    });
}

}  // namespace ovni
