#include "cut/focus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/typed_options.hpp"
#include "calls/mpi_functions.hpp"
#include "core/parse_number.hpp"
#include "model/interrupted_visits.hpp"
#include "model/mpi_event.hpp"
#include "model/mpi_region.hpp"
#include "trace/region_names.hpp"

namespace ovni {

namespace {

// All of the text is digits.
template <class Number>
std::optional<Number> whole(std::string_view text) {
    return text.starts_with('-') ? std::nullopt : parse_number<Number>(text);
}

// The values that regions of that name have.
std::set<int64_t> values_of(const std::string& region, const Trace& trace) {
    std::set<int64_t> values;
    std::set<std::string> names;
    for (const auto& [value, name] : names_of_regions(trace)) {
        names.insert(one_line(name));
        if (name == region) values.insert(value);
    }
    if (const auto value = whole<int64_t>(region); value && values.empty()) values.insert(*value);
    if (!values.empty()) return values;
    const std::vector<std::string> known(names.begin(), names.end());
    throw Error(fmt::format("there is no region '{}'; {}{}{}", one_line(region),
                            names.empty() ? "none has a name" : "there are ", fmt::join(names, ", "),
                            proposal(region, known)),
                trace.directory());
}

// Reads streams for the time that is wanted.
class Search {
 public:
    Search(const Focus& focus, std::set<int64_t> region) : focus_(focus), region_(std::move(region)) {}

    void read(StreamReader reader) {
        depth_ = 0;
        visits_ = 0;
        interrupted_ = {};
        while (reader.next()) {
            const EventView& event = reader.event();
            if (event.kind != EventView::Kind::event)
                interrupted_.take_gap(event.kind, event.gap && event.gap->is_pause(), event.clock);
            else if (!event.jumbo())
                take(event);
        }
        // The region is still open: the trace ends in it.
        if (depth_ > 0 && is_wanted(visits_)) leaves_ = INT64_MAX;
    }
    uint64_t most_visits() const { return most_visits_; }
    bool has_region() const { return enters_ != INT64_MAX; }
    bool has_init() const { return last_init_ != INT64_MIN; }
    bool has_finalize() const { return first_finalize_ != INT64_MAX; }
    // Clocks, the limits of int64_t if there is no limit.
    std::pair<int64_t, int64_t> span() const {
        int64_t from = INT64_MIN, to = INT64_MAX;
        if (focus_.region) from = enters_, to = leaves_ == INT64_MAX ? leaves_ : leaves_ + 1;
        if (focus_.without_init) from = std::max(from, last_init_);
        if (focus_.without_finalize) to = std::min(to, first_finalize_);
        return {from, to};
    }

 private:
    void take(const EventView& event) {
        if (event.code.model() == 'M') return take_call(event);
        const auto border = mpi_region_border(event.code, event.payload());
        if (!border || !region_.contains(border->region)) return;
        if (border->opens && depth_++ == 0)
            enter(border->region, event.clock);
        else if (!border->opens && depth_ > 0 && --depth_ == 0)
            leave(border->region, event.clock);
    }
    void enter(int64_t region, int64_t clock) {
        if (interrupted_.goes_on(region, clock)) return;
        most_visits_ = std::max(most_visits_, ++visits_);
        if (is_wanted(visits_)) enters_ = std::min(enters_, clock);
    }
    void leave(int64_t region, int64_t clock) {
        interrupted_.leave(region, clock);
        if (is_wanted(visits_)) leaves_ = std::max(leaves_, clock);
    }
    void take_call(const EventView& event) {
        const MpiEvent mpi(event.code, event.payload());
        if (!mpi.function()) return;
        if (mpi.step() == MpiStep::leave && is_init(*mpi.function()))
            last_init_ = std::max(last_init_, event.clock);
        if (mpi.step() == MpiStep::enter && mpi.function()->name == "MPI_Finalize")
            first_finalize_ = std::min(first_finalize_, event.clock);
    }
    bool is_wanted(uint64_t visit) const { return !focus_.visit || *focus_.visit == visit; }

    const Focus& focus_;
    const std::set<int64_t> region_;
    uint64_t depth_ = 0, visits_ = 0, most_visits_ = 0;
    InterruptedVisits interrupted_;
    int64_t enters_ = INT64_MAX, leaves_ = INT64_MIN;
    int64_t last_init_ = INT64_MIN, first_finalize_ = INT64_MAX;
};

Error no_rank(int rank, const std::set<int>& known, const Trace& trace) {
    if (known.empty()) return Error("no process has a rank", trace.directory());
    const int nearest = *std::ranges::min_element(known, {}, [&](int one) { return std::abs(one - rank); });
    return Error(fmt::format("there is no rank {} (the nearest is {})", rank, nearest), trace.directory());
}

void take_region(Focus& focus, const std::string& value) {
    const size_t mark = value.rfind('#');
    focus.region = value.substr(0, mark);
    if (mark != value.npos) focus.visit = whole<uint64_t>(std::string_view(value).substr(mark + 1));
    if (focus.region->empty() || (mark != value.npos && focus.visit.value_or(0) == 0))
        throw UsageError("--region: '" + value + "' is no NAME and no NAME#NUMBER from 1 (see --help)");
}

void take_without(Focus& focus, const std::string& value) {
    for (const std::string& item : items_of("without", value)) {
        const bool is_init = item == "Init" || item == "MPI_Init";
        const bool is_finalize = item == "Finalize" || item == "MPI_Finalize";
        if (!is_init && !is_finalize)
            throw UsageError("--without: '" + item + "' is neither Init nor Finalize (see --help)");
        (is_init ? focus.without_init : focus.without_finalize) = true;
    }
}

constexpr TypedOption<Focus> rows[] = {
    {{"from", "", "TIME", "", "Begin of the part. Default: the first event."},
     [](Focus& focus, const std::string& value) { focus.time.from = parse_duration(value, "--from"); }},
    {{"to", "", "TIME", "", "End of the part, without events at that time. Default: the last event."},
     [](Focus& focus, const std::string& value) { focus.time.to = parse_duration(value, "--to"); }},
    {{"region", "", "NAME", "",
      "The part from where the first rank enters this region of MPI_Pcontrol to where the last one leaves "
      "it. "
      "NAME#3: its third visit alone."},
     take_region},
    {{"without", "", "LIST", "",
      "Init: the part begins when the last rank has left MPI_Init. Finalize: it ends when the first one "
      "enters MPI_Finalize."},
     take_without},
    {{"ranks", "", "LIST", "", "Only processes with these MPI ranks: 0,4-7."},
     store_parsed<&Focus::ranks, parse_ranks>},
};

}  // namespace

std::vector<std::string> items_of(const std::string& option, std::string_view list) {
    std::vector<std::string> items;
    for (;;) {
        size_t comma = std::min(list.find(','), list.size());
        if (comma == 0) throw UsageError("--" + option + ": an empty item in the list (see --help)");
        items.emplace_back(list.substr(0, comma));
        if (comma == list.size()) return items;
        list.remove_prefix(comma + 1);
    }
}

void RankSet::add(int first, int last) {
    auto next = ranges_.upper_bound(first);
    if (next != ranges_.begin() && std::prev(next)->second >= first) --next;
    while (next != ranges_.end() && next->first <= last) {
        first = std::min(first, next->first);
        last = std::max(last, next->second);
        next = ranges_.erase(next);
    }
    ranges_.emplace(first, last);
}

bool RankSet::contains(int rank) const {
    auto behind = ranges_.upper_bound(rank);
    return behind != ranges_.begin() && rank <= std::prev(behind)->second;
}

std::optional<int> RankSet::first_beyond(const std::set<int>& known) const {
    for (const auto& [first, last] : ranges_) {
        int rank = first;
        while (rank <= last && known.contains(rank)) ++rank;
        if (rank <= last) return rank;
    }
    return std::nullopt;
}

RankSet parse_ranks(const std::string& text) {
    constexpr int most = 1 << 24;
    RankSet ranks;
    for (const std::string& item : items_of("ranks", text)) {
        size_t dash = item.find('-');
        std::optional<int> first = whole<int>(item.substr(0, dash));
        std::optional<int> last = dash == item.npos ? first : whole<int>(item.substr(dash + 1));
        if (!first || !last || *last < *first || *last >= most)
            throw UsageError("--ranks: '" + item + "' is neither a rank nor a range of ranks (see --help)");
        ranks.add(*first, *last);
    }
    return ranks;
}

void insert_focus_rows(Manual& manual, size_t position) {
    std::vector<OptionRow> focus;
    append_rows(focus, rows);
    manual.options.insert(manual.options.begin() + static_cast<ptrdiff_t>(position), focus.begin(),
                          focus.end());
}

Focus read_focus(const Cli& cli) {
    Focus focus;
    take_options(rows, cli, focus);
    if (focus.time.to && *focus.time.to <= focus.time.from.value_or(0))
        throw UsageError("--to must be later than --from (see --help)");
    return focus;
}

std::vector<bool> streams_of(const Focus& focus, const Trace& trace) {
    // A single thread may have the rank of its process.
    std::map<std::pair<std::string, int>, int> ranks;
    std::set<int> known;
    for (const Stream& stream : trace.streams())
        if (const StreamMetadata& of = stream.metadata; of.process->rank) {
            ranks[{of.common->loom, of.process->pid}] = *of.process->rank;
            known.insert(*of.process->rank);
        }
    if (const auto rank = focus.ranks.first_beyond(known)) throw no_rank(*rank, known, trace);
    std::vector<bool> chosen;
    for (const Stream& stream : trace.streams()) {
        const auto rank = ranks.find({stream.metadata.common->loom, stream.metadata.process->pid});
        chosen.push_back(focus.ranks.empty() || (rank != ranks.end() && focus.ranks.contains(rank->second)));
    }
    return chosen;
}

TimeSpan time_of(const Focus& focus, const Trace& trace, const ClockModel& clocks, int64_t origin) {
    TimeSpan span = focus.time;
    if (!focus.needs_events()) return span;
    Search search(focus, focus.region ? values_of(*focus.region, trace) : std::set<int64_t>());
    const std::vector<bool> chosen = streams_of(focus, trace);
    for (uint32_t s = 0; s < trace.streams().size(); ++s)
        if (chosen[s])
            search.read(trace.reader(s, clocks.of_stream(trace.streams()[s].metadata), ClockOrder::any,
                                     Regions::as_they_are, Checksums::ignored));
    if (focus.region && !search.has_region())
        throw Error(fmt::format("region '{}' was entered {} times at most", one_line(*focus.region),
                                search.most_visits()),
                    trace.directory());
    for (const auto& [is_wanted, is_there, name] :
         {std::tuple(focus.without_init, search.has_init(), "MPI_Init"),
          std::tuple(focus.without_finalize, search.has_finalize(), "MPI_Finalize")})
        if (is_wanted && !is_there) log::warn("no rank has recorded {}: nothing is left out for it", name);
    const auto [from, to] = search.span();
    if (from != INT64_MIN) span.from = std::max(span.from.value_or(INT64_MIN), from - origin);
    if (to != INT64_MAX) span.to = std::min(span.to.value_or(INT64_MAX), to - origin);
    if (span.to && *span.to <= span.from.value_or(0))
        throw Error(fmt::format("nothing is left: the part would end at {} ns and begin at {} ns", *span.to,
                                span.from.value_or(0)),
                    trace.directory());
    log::info("the part lasts from {} ns to {}", span.from.value_or(0),
              span.to ? fmt::format("{} ns", *span.to) : "the end");
    return span;
}

int64_t parse_duration(const std::string& text, std::string_view option) {
    auto fail = [&](const char* why) {
        throw UsageError(
            fmt::format("{}{}'{}': {} (see --help)", option, option.empty() ? "" : " ", text, why));
    };
    size_t unit_at = std::min(text.find_first_not_of("0123456789."), text.size());
    std::string number = text.substr(0, unit_at), unit = text.substr(unit_at);
    constexpr std::pair<std::string_view, int> units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
    auto known = std::ranges::find(units, unit, &std::pair<std::string_view, int>::first);
    bool is_zero = unit.empty() && whole<int64_t>(number) == 0;
    if (known == std::end(units) && !is_zero)
        fail("a time is a number with a unit, such as 1.5s, 300ms, 20us or 40ns");
    auto digits = static_cast<size_t>(is_zero ? 0 : known->second);
    size_t point = number.find('.');
    std::string fraction = point == number.npos ? "" : number.substr(point + 1);
    bool is_number = point == number.npos ? !number.empty() : point > 0 && !fraction.empty();
    while (fraction.ends_with('0')) fraction.pop_back();
    if (fraction.size() > digits) fail("parts of a ns");
    fraction.resize(digits, '0');
    std::optional<int64_t> ns = whole<int64_t>(number.substr(0, point) + fraction);
    if (!ns || !is_number) fail("no number, or one that is too large");
    return *ns;
}

}  // namespace ovni
