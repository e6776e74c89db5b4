#include "region/control_settings.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "core/launcher.hpp"
#include "region/plan.hpp"

namespace ovni::region {

namespace {

std::string_view variable(const char* name) {
    const char* text = secure_getenv(name);
    return text ? text : "";
}

bool read_rank(std::string_view text, uint64_t& rank) {
    return !text.starts_with("0x") && read_number(text, rank) == Number::good;
}

}  // namespace

std::optional<Scope> parse_scope(std::string_view text) noexcept {
    if (text == "thread") return Scope::thread;
    if (text == "process") return Scope::process;
    if (text == "job") return Scope::job;
    return {};
}

Fault RankList::parse(std::string_view text, RankList& list) noexcept {
    for (size_t begin = 0; begin <= text.size();) {
        size_t end = std::min(text.find(',', begin), text.size());
        std::string_view item = text.substr(begin, end - begin);
        size_t dash = item.find('-');
        Range range{};
        bool is_good = read_rank(item.substr(0, dash), range.first);
        range.last = range.first;
        if (is_good && dash != item.npos) is_good = read_rank(item.substr(dash + 1), range.last);
        if (!is_good || range.last < range.first)
            return Error{"a list of ranks is like 0,3-5", std::string(text), begin};
        list.ranges_.push_back(range);
        begin = end + 1;
    }
    return {};
}

bool RankList::holds(uint32_t rank) const noexcept {
    return ranges_.empty() || std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
               return range.first <= rank && rank <= range.last;
           });
}

std::optional<uint32_t> own_rank() noexcept {
    const int rank = rank_by_launcher();
    if (rank < 0) return {};
    return static_cast<uint32_t>(rank);
}

Fault ControlSettings::from_environment(ControlSettings& settings) noexcept {
    settings.log = variable("OVNI_CONTROL_LOG");
    if (std::string_view chains = variable("OVNI_CONTROL"); !chains.empty())
        if (Fault fault = split_chains(chains, settings.chains)) return fault;
    if (std::string_view text = variable("OVNI_CONTROL_SCOPE"); !text.empty()) {
        std::optional<Scope> scope = parse_scope(text);
        if (!scope) return Error{"a scope is thread, process or job", std::string(text), 0};
        settings.scope = *scope;
    }
    if (std::string_view text = variable("OVNI_CONTROL_DEFAULT_START"); !text.empty()) {
        if (text != "0" && text != "1") return Error{"a default start is 0 or 1", std::string(text), 0};
        settings.default_start = text == "1" ? DefaultStart::on : DefaultStart::off;
    }
    if (std::string_view text = variable("OVNI_CONTROL_ACCURACY"); !text.empty()) {
        if (text != "block" && text != "exact")
            return Error{"an accuracy is block or exact", std::string(text), 0};
        settings.counting.is_exact = text == "exact";
    }
    settings.counting.images = variable("OVNI_CONTROL_ICOUNT_IMAGES");
    if (std::string_view text = variable("OVNI_CONTROL_COUNTER"); !text.empty()) {
        if (text != "cache" && text != "processor" && text != "time")
            return Error{"a counter is cache, processor or time", std::string(text), 0};
        if (text != "cache" && !settings.counting.images.empty())
            return Error{"this counter counts all files: leave --control-icount-images out",
                         std::string(text), 0};
        settings.counting.counter = text;
    }
    std::string_view ranks = variable("OVNI_CONTROL_RANKS");
    return ranks.empty() ? Fault() : RankList::parse(ranks, settings.ranks);
}

}  // namespace ovni::region
