#include "sink/page/page_timeline.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "sink/page/page_items.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;

// The limits for all rows together; so the page stays below its size, however long the trace is.
constexpr size_t most_columns = 4096, region_columns = 2048;
constexpr size_t most_cells = size_t{1} << 18;
constexpr size_t most_rows = 8192;
constexpr size_t most_hosts = 1024;
constexpr size_t rows_without_folding = 64;
constexpr size_t most_changes = size_t{3} << 15;
constexpr size_t most_messages = 4000;

// The limits for a window.
constexpr size_t changes_at_wait = 256, changes_in_region = 4096, changes_in_later_region = 512;
constexpr size_t messages_in_window = 32;
constexpr size_t first_regions = 24, most_regions = 128;  // the first have more changes
constexpr uint32_t rows_in_region = 32;

size_t columns_for(size_t rows) {
    size_t columns = most_columns;
    while (columns > 1 && columns * rows > most_cells) columns /= 2;
    return columns;
}

std::string shortened(std::string_view name) {
    constexpr size_t longest = 160;
    return std::string(name.substr(0, longest)) + (name.size() <= longest ? "" : "...");
}

template <class Names>
Json names_of(const Names& all) {
    Json names = Json::array();
    for (std::string_view name : all) names.push_back(shortened(name));
    return names;
}

constexpr std::array kinds = {"mpi", "lock", "openmp", "task", "task", "state"};
static_assert(kinds.size() == page_types.size());
constexpr std::array window_names = {"whole", "wait", "region"};

Json categories_of(const PagePalette& palette, const FileSchema& threads) {
    Json all = Json::array();
    for (const uint32_t category : palette.values())
        all.push_back({{"name", shortened(page_category_name(category, threads))},
                       {"kind", kinds[category >> 16]},
                       {"value", category & 0xffff}});
    return all;
}

Json regions_of(const PagePalette& regions, const FileSchema& threads) {
    Json all = Json::array();
    for (const uint32_t region : regions.values())
        all.push_back(shortened(page_label(page_region_type, region, threads)));
    return all;
}

// Values and their labels.
Json waits_of(const FileSchema& threads) {
    Json all = Json::object();
    for (const EventType& type : threads.types)
        if (type.type == prv_type::wait_state)
            for (const auto& [value, label] : type.labels.all()) all[std::to_string(value)] = label;
    return all;
}

// ns of a column.
int64_t width(size_t rows, int64_t end) {
    return int64_t{1} << TimeColumns::shift_for(end, columns_for(rows));
}

}  // namespace

PageTimeline::PageTimeline(const Ranks& ranks, const Schema& schema, std::span<const WaitRow> longest_waits)
    : ranks_(ranks),
      owners_(schema),
      row_count_(owners_.rows.size()),
      hosts_(owners_.hosts.size(), most_hosts),
      host_names_(hosts_.names(owners_.hosts)),
      is_folded_(row_count_ > rows_without_folding),
      first_row_(first_row_of(static_cast<size_t>(ranks.rank()))),
      end_row_(first_row_of(static_cast<size_t>(ranks.rank()) + 1)),
      rows_(end_row_ - first_row_),
      of_regions_(1, TimeColumns(region_columns)),
      windows_(first_row_, end_row_),
      counters_(schema, owners_, is_folded_ ? &hosts_ : nullptr, first_row_, end_row_) {
    if (row_count_ <= most_rows) of_rows_.resize(rows_.size(), TimeColumns(columns_for(row_count_)));
    if (is_folded_) of_hosts_.resize(hosts_.size(), TimeColumns(columns_for(hosts_.size())));
    windows_.add({.rows = {},
                  .most_changes = std::min(size_t{1} << 14, most_changes / std::max<size_t>(row_count_, 1)),
                  .most_messages = most_messages});
    for (const WaitRow& wait : longest_waits) add_wait(wait);
}

uint32_t PageTimeline::first_row_of(size_t rank) const {
    const auto size = static_cast<size_t>(ranks_.size());
    return static_cast<uint32_t>((row_count_ * rank + size - 1) / size);
}

// A bit of what is around it helps to see why.
void PageTimeline::add_wait(const WaitRow& wait) {
    const int64_t around = (wait.end - wait.time) / 4 + 1;
    PageWindow window{.kind = PageWindowKind::wait,
                      .from = std::max<int64_t>(wait.time - around, 0),
                      .to = wait.end + around,
                      .rows = {static_cast<uint32_t>(wait.thread)},
                      .most_changes = changes_at_wait,
                      .most_messages = messages_in_window,
                      .row = static_cast<uint32_t>(wait.thread),
                      .wait_from = wait.time,
                      .wait_to = wait.end};
    if (wait.cause != WaitRow::no_thread && wait.cause != wait.thread)
        window.rows.push_back(static_cast<uint32_t>(wait.cause));
    std::ranges::sort(window.rows);
    windows_.add(std::move(window));
}

void PageTimeline::add_region(const RegionInstance& instance) {
    if (const auto known = window_of_region_.find(instance.region); known != window_of_region_.end())
        return windows_.end_at(known->second, instance.to);
    if (window_of_region_.size() >= most_regions) return;
    PageWindow window{.kind = PageWindowKind::region,
                      .from = instance.from,
                      .to = instance.to,
                      .rows = {},
                      .most_messages = messages_in_window,
                      .region = instance.region,
                      .row = instance.row};
    const uint32_t first = instance.row / rows_in_region * rows_in_region;
    for (uint32_t row = first; row < std::min<size_t>(first + rows_in_region, row_count_); ++row)
        window.rows.push_back(row);
    const bool is_early = window_of_region_.size() < first_regions;
    window.most_changes = (is_early ? changes_in_region : changes_in_later_region) / window.rows.size();
    window_of_region_[instance.region] = windows_.add(std::move(window));
}

uint32_t PageTimeline::row_of(const Record& record) const {
    if (record.thread_row == Record::no_row || is_on_page(record.type)) return record.thread_row;
    return PageCounters::shows(record.type) ? counters_.row_of(record) : Record::no_row;
}

void PageTimeline::share(std::span<const Record> records) {
    const auto size = static_cast<size_t>(ranks_.size());
    PerRank<std::vector<Record>> to(size);
    for (const Record& record : records)
        if (const uint32_t row = row_of(record); row != Record::no_row)
            to[row * size / row_count_].push_back(record);
    mine_ = ranks_.alltoallv_joined(std::move(to));
    for (const Record& record : mine_)
        if (record.type == page_region_type) regions_.take(record);
    for (const RegionInstance& instance : regions_.share(ranks_)) add_region(instance);
}

void PageTimeline::write(std::span<const MessageRecord> messages) {
    for (const Record& record : mine_) apply(record);
    mine_.clear();
    for (const MessageRecord& message : messages) windows_.take(message);
}

void PageTimeline::apply(const Record& record) {
    if (PageCounters::shows(record.type)) return counters_.take(record);
    counters_.follow(record);
    const uint32_t number = record.thread_row;
    const int64_t time = std::max<int64_t>(record.time, 0);
    Row& row = rows_[number - first_row_];
    PageState next = row.state;
    const PageState::Changed changed = next.take(record);
    // The change may be seen later, when what hides it ends.
    if (changed == PageState::Changed::nothing) {
        row.state = next;
        return;
    }
    last_time_ = std::max(last_time_, time);
    windows_.before_change(number, time, row.state);
    if (changed == PageState::Changed::category) {
        end_category(row, number, time);
        windows_.change(number, time, PageClip::Shows::category, next.category());
    } else if (changed == PageState::Changed::region) {
        end_region(row, time);
        windows_.change(number, time, PageClip::Shows::region, next.region());
    } else {
        windows_.change(number, time, PageClip::Shows::wait, next.wait());
    }
    row.state = next;
}

void PageTimeline::end_category(Row& row, uint32_t number, int64_t time) {
    const uint32_t category = row.state.category();
    const int64_t since = std::exchange(row.since, time);
    times_[category] += time - since;
    if (!of_rows_.empty()) of_rows_[number - first_row_].add(category, since, time);
    if (is_folded_) of_hosts_[hosts_.of(owners_.rows[number].host)].add(category, since, time);
}

void PageTimeline::end_region(Row& row, int64_t time) {
    const int64_t since = std::exchange(row.region_since, time);
    const auto region = static_cast<uint32_t>(row.state.region());
    if (region == 0) return;
    region_times_[region] += time - since;
    of_regions_.front().add(region, since, time);
}

// The sums of all ranks on rank 0.
void PageTimeline::merge(std::vector<TimeColumns>& columns) const {
    struct Sum {
        uint32_t number, category;
        uint64_t column;
        int64_t ns;
    };
    if (ranks_.is_alone()) return;
    std::vector<Sum> mine;
    for (uint32_t number = 0; number < columns.size(); ++number)
        for (const auto& [category, sums] : columns[number].sums())
            for (size_t column = 0; column < sums.size(); ++column)
                if (sums[column] > 0) mine.push_back({number, category, column, sums[column]});
    const PerRank<std::vector<Sum>> all = ranks_.gather(mine);
    for (size_t rank = 1; rank < all.size(); ++rank)
        for (const auto& [number, category, column, ns] : all[rank])
            columns[number].add_sum(category, column, ns);
}

Json PageTimeline::clips(const PagePalette& palette, const PagePalette& regions) {
    auto code_of = [&](const PageClip::Change& change) {
        const auto value = static_cast<uint32_t>(change.value);
        switch (change.shows) {
            case PageClip::Shows::category:
                return palette.place_of(value);
            case PageClip::Shows::region:
                return value == 0 ? 0 : regions.place_of(value) + 1;
            case PageClip::Shows::wait:
                break;
        }
        return size_t{value};
    };
    Json all = Json::array();
    for (const PageClip& clip : windows_.clips()) {
        const bool is_cut = clip.cut_at != INT64_MAX;
        if (is_cut && windows_.windows()[clip.window].kind == PageWindowKind::whole) continue;
        Json changes = Json::array();
        int64_t before = windows_.windows()[clip.window].from;
        for (const PageClip::Change& change : clip.changes) {
            changes.push_back(change.time - std::exchange(before, change.time));
            changes.push_back(code_of(change) * PageClip::layers + static_cast<size_t>(change.shows));
        }
        all.push_back({clip.window, clip.row, is_cut ? Json(clip.cut_at) : Json(), std::move(changes)});
    }
    return gather_items(ranks_, all);
}

Json PageTimeline::messages() const {
    std::vector<PageMessage> all = ranks_.gather_joined(windows_.messages());
    std::ranges::stable_sort(all, {},
                             [](const PageMessage& m) { return std::pair(m.window, m.message.moment()); });
    Json list = Json::array();
    std::vector<size_t> count(windows_.windows().size());
    for (const auto& [window, message] : all) {
        if (count[window]++ >= windows_.windows()[window].most_messages) continue;
        list.push_back({window, message.time, message.send_end, message.receive_begin, message.receive_end,
                        message.sender_row, message.receiver_row, message.bytes, message.tag});
    }
    return list;
}

Json PageTimeline::windows(const PagePalette& palette, const PagePalette& regions,
                           const FileSchema& threads) {
    Json all = Json::array();
    for (const PageWindow& window : windows_.windows()) {
        const bool is_region = window.kind == PageWindowKind::region;
        const bool is_wait = window.kind == PageWindowKind::wait;
        all.push_back(
            {{"kind", window_names[static_cast<size_t>(window.kind)]},
             {"from", window.from},
             {"to", window.to == INT64_MAX ? Json() : Json(window.to)},
             {"row", window.row},
             {"region",
              is_region ? Json(regions.place_of(static_cast<uint32_t>(window.region)) + 1) : Json()},
             {"name",
              is_region ? Json(shortened(page_label(page_region_type, window.region, threads))) : Json()},
             {"wait", is_wait ? Json{window.wait_from, window.wait_to} : Json()},
             {"clips", Json::array()}});
    }
    for (Json& clip : clips(palette, regions)) {
        const auto window = clip[0].get<size_t>();
        clip.erase(clip.begin());
        all[window]["clips"].push_back(std::move(clip));
    }
    return all;
}

Json PageTimeline::end(const Schema& schema, int64_t duration) {
    for (uint32_t number = first_row_; number < end_row_; ++number) {
        Row& row = rows_[number - first_row_];
        windows_.finish(number, row.state);
        end_category(row, number, std::max(duration, row.since));
        end_region(row, std::max(duration, row.region_since));
    }
    const int64_t end = ranks_.allreduce(Op::max, std::max(last_time_, duration));
    for (auto* all : {&of_rows_, &of_hosts_, &of_regions_})
        for (TimeColumns& columns : *all) columns.fit(end);
    const PagePalette palette(ranks_, times_), regions(ranks_, region_times_);
    merge(of_hosts_);
    merge(of_regions_);
    Json mine = Json::array();
    for (const TimeColumns& columns : of_rows_) mine.push_back(palette.text(columns, end, 1));
    Json cells = gather_items(ranks_, mine);
    Json windows = this->windows(palette, regions, schema.thread), messages = this->messages();
    Json counters = counters_.end(ranks_, end);
    if (!ranks_.is_root()) return {};
    Json timeline = {{"end", end},
                     {"categories", categories_of(palette, schema.thread)},
                     {"regions", regions_of(regions, schema.thread)},
                     {"entered_regions", regions_.count()},
                     {"waits", waits_of(schema.thread)}};
    timeline["rows"] = {{"names", names_of(schema.thread.rows->all())},
                        {"hosts", Json::array()},
                        {"processes", Json::array()},
                        {"width", width(row_count_, end)},
                        {"cells", std::move(cells)}};
    for (const RowOwners::Owner& owner : owners_.rows) {
        timeline["rows"]["hosts"].push_back(hosts_.of(owner.host));
        timeline["rows"]["processes"].push_back(owner.process);
    }
    std::vector<size_t> rows_of_host(hosts_.size());
    for (const RowOwners::Owner& owner : owners_.rows) ++rows_of_host[hosts_.of(owner.host)];
    timeline["hosts"] = {{"names", names_of(host_names_)},
                         {"rows", rows_of_host},
                         {"width", width(hosts_.size(), end)},
                         {"cells", Json::array()}};
    for (size_t host = 0; host < of_hosts_.size(); ++host)
        timeline["hosts"]["cells"].push_back(palette.text(of_hosts_[host], end, rows_of_host[host]));
    timeline["region_cells"] = {{"width", int64_t{1} << of_regions_.front().shift()},
                                {"cells", regions.text(of_regions_.front(), end, row_count_)}};
    timeline["windows"] = std::move(windows);
    timeline["messages"] = std::move(messages);
    timeline["counters"] = std::move(counters);
    return timeline;
}

}  // namespace ovni
