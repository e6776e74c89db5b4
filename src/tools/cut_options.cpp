#include "tools/cut_options.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/topics.hpp"
#include "model/model_spec.hpp"

namespace ovni {

namespace {

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

// All of the text is digits.
template <class Number>
std::optional<Number> whole(std::string_view text) {
    Number number{};
    auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    bool is_good =
        !text.empty() && text[0] != '-' && fault == std::errc() && end == text.data() + text.size();
    return is_good ? std::optional(number) : std::nullopt;
}

char parse_model(const std::string& name) {
    const ModelSpec* model = name.size() == 1 ? find_model(name[0]) : find_model(name);
    if (!model) throw UsageError("--models: there is no model '" + name + "' (see --help)");
    return model->id;
}

constexpr OptionRow rows[] = {
    {"output", "o", "DIR", "", "Directory of the new trace."},
    {"from", "", "TIME", "", "Begin of the part. Default: the first event."},
    {"to", "", "TIME", "", "Its end, without the events of that very time. Default: the last event."},
    {"ranks", "", "LIST", "", "Only processes with these MPI ranks: 0,4-7."},
    {"looms", "", "LIST", "", "Only these looms, by name: node0,node1."},
    {"models", "", "LIST", "",
     "Only events of these models, by character or name: M,nosv. The life cycle of threads always stays."},
    {"clock-offsets", "c", "FILE", "",
     "Clocks of the nodes, clocks.json or clock-offsets.txt of any name. ovniemu needs FILE for OUT again."},
    {"sort", "", "", "", "Sort unsorted regions (OU[ to OU]), as ovnisort does."},
};

std::string list_of_models() {
    std::string text = "Models:\n\n";
    for (const ModelSpec* model : all_models()) text += fmt::format("    {}  {}\n", model->id, model->name);
    return text;
}

}  // namespace

int64_t parse_duration(const std::string& text) {
    auto fail = [&](const char* why) { throw UsageError(fmt::format("'{}': {} (see --help)", text, why)); };
    size_t unit_at = std::min(text.find_first_not_of("0123456789."), text.size());
    std::string number = text.substr(0, unit_at), unit = text.substr(unit_at);
    constexpr std::pair<std::string_view, int> units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
    auto known = std::ranges::find(units, unit, &std::pair<std::string_view, int>::first);
    bool is_zero = unit.empty() && whole<int64_t>(number) == 0;
    if (known == std::end(units) && !is_zero) fail("a time is a number with one of the units s, ms, us, ns");
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

Cli cut_cli() {
    Cli cli;
    cli.manual = {
        .program = "ovnicut",
        .summary = "write a part of a trace as a trace of its own",
        .usage = "ovnicut [OPTIONS] TRACE -o OUT",
        .words = "DIR",
        .description =
            R"(Writes a part of the runtime trace in the directory TRACE as a trace of its own into OUT, which
must not exist, or be empty. States that are open at --from are opened there again. States that are open at --to are
closed.

A TIME counts from the first event of TRACE, as in the outputs of ovniemu. It is a number with its unit:

    1.5s 300ms 20us 123456ns)",
        .options = {std::begin(rows), std::end(rows)},
        .lists = list_of_models(),
        .topics = {&topics::cut},
    };
    return cli;
}

CutOptions read_cut_options(const Cli& cli) {
    CutOptions options;
    options.trace = only_word(cli, "trace directory");
    if (!cli.has("output")) throw UsageError("missing -o, the directory of the new trace (see --help)");
    options.output = cli.get<std::string>("output");
    if (cli.has("from")) options.from = parse_duration(cli.get<std::string>("from"));
    if (cli.has("to")) options.to = parse_duration(cli.get<std::string>("to"));
    if (options.to && *options.to <= options.from.value_or(0))
        throw UsageError("--to must be later than --from (see --help)");
    if (cli.has("ranks")) options.ranks = parse_ranks(cli.get<std::string>("ranks"));
    if (cli.has("looms"))
        for (const std::string& loom : items_of("looms", cli.get<std::string>("looms")))
            options.looms.insert(loom);
    if (cli.has("models"))
        for (const std::string& model : items_of("models", cli.get<std::string>("models")))
            options.models += parse_model(model);
    if (cli.has("clock-offsets")) options.clock_table = cli.get<std::string>("clock-offsets");
    if (cli.has("sort")) options.regions = Regions::sorted;
    return options;
}

std::vector<bool> chosen_streams(const Trace& trace, const System& system, const CutOptions& options) {
    std::vector<bool> chosen(trace.streams().size());
    std::set<int> ranks;
    std::set<std::string> looms = options.looms;
    for (const ThreadInfo& thread : system.threads()) {
        const std::string& loom = system.looms()[thread.loom].name;
        const std::optional<int>& rank = system.processes()[thread.process].rank;
        chosen[thread.stream] = (options.ranks.empty() || (rank && options.ranks.contains(*rank))) &&
                                (options.looms.empty() || options.looms.contains(loom));
        if (rank) ranks.insert(*rank);
        looms.erase(loom);
    }
    std::string path = trace.directory();
    if (!looms.empty()) throw Error(fmt::format("there is no loom '{}'", *looms.begin()), path);
    if (auto rank = options.ranks.first_beyond(ranks))
        throw Error(fmt::format("there is no rank {}", *rank), path);
    return chosen;
}

bool shows_idle_cpus(const Trace& trace, const CutOptions& options) {
    auto shows = [&](const auto& required) {
        const ModelSpec* model = find_model(required.first);
        return model && options.keeps_model(model->id) &&
               std::ranges::any_of(model->channels, [](const auto& c) { return c.cpu_default != 0; });
    };
    return std::ranges::any_of(trace.streams(), [&](const Stream& stream) {
        return std::ranges::any_of(stream.metadata.require, shows);
    });
}

}  // namespace ovni
