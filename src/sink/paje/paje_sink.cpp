#include "sink/paje/paje_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "sink/all_labels.hpp"
#include "sink/output_names.hpp"
#include "sink/process_order.hpp"

namespace ovni {

namespace {

// Events have these numbers; each has the fields that its row names.
enum Event : uint8_t {
    container_type,
    state_type,
    variable_type,
    link_type,
    entity_value,
    create_container,
    destroy_container,
    set_state,
    pop_state,
    set_variable,
    start_link,
    end_link,
    event_count
};
struct Definition {
    std::string_view name;
    std::string_view fields;
};
constexpr std::array<Definition, event_count> definitions = {{
    {"PajeDefineContainerType", "Alias string,Type string,Name string"},
    {"PajeDefineStateType", "Alias string,Type string,Name string"},
    {"PajeDefineVariableType", "Alias string,Type string,Name string,Color color"},
    {"PajeDefineLinkType",
     "Alias string,Type string,StartContainerType string,EndContainerType string,Name string"},
    {"PajeDefineEntityValue", "Alias string,Type string,Name string,Color color"},
    {"PajeCreateContainer", "Time date,Alias string,Type string,Container string,Name string"},
    {"PajeDestroyContainer", "Time date,Type string,Name string"},
    {"PajeSetState", "Time date,Type string,Container string,Value string"},
    {"PajePopState", "Time date,Type string,Container string"},
    {"PajeSetVariable", "Time date,Type string,Container string,Value double"},
    {"PajeStartLink",
     "Time date,Type string,Container string,StartContainer string,Value string,Key string,Bytes string,Tag "
     "int"},
    {"PajeEndLink", "Time date,Type string,Container string,EndContainer string,Value string,Key string"},
}};

std::string header_text() {
    std::string text;
    for (size_t event = 0; event < definitions.size(); ++event) {
        text += fmt::format("%EventDef {} {}\n", definitions[event].name, event);
        std::string_view fields = definitions[event].fields;
        while (!fields.empty()) {
            const size_t end = std::min(fields.find(','), fields.size());
            text += fmt::format("% {}\n", fields.substr(0, end));
            fields.remove_prefix(std::min(end + 1, fields.size()));
        }
        text += "%EndEventDef\n";
    }
    return text;
}

// A text has no quotes and no control characters.
std::string in_quotes(std::string_view text) {
    std::string made = one_line(valid_utf8(text));
    std::ranges::replace(made, '"', '\'');
    std::ranges::replace(made, '\t', ' ');
    return '"' + made + '"';
}

// Seconds.
std::string date(int64_t time) {
    constexpr int64_t second = 1'000'000'000;
    const int64_t from_zero = std::max(time, int64_t{0});
    return fmt::format("{}.{:09}", from_zero / second, from_zero % second);
}

// Colours of values differ, and follow from the value.
std::string color(uint32_t type, int64_t value) {
    uint64_t mixed = (static_cast<uint64_t>(value) + type) * 0x9e3779b97f4a7c15u;
    const auto part = [&] {
        mixed = mixed << 8 | mixed >> 56;
        return static_cast<double>(mixed & 0xff) / 0xff;
    };
    const double red = part(), green = part(), blue = part();
    return fmt::format("\"{:.2f} {:.2f} {:.2f}\"", red, green, blue);
}

constexpr std::array<uint16_t, 1> left_out_of_paje = {prv_type::tid};

template <class... Parts>
void add_line(std::string& text, fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Parts>(parts)...);
    text += '\n';
}

}  // namespace

void PajeSink::begin(const Ranks& ranks, const Plan& plan) {
    ranks_ = &ranks;
    schema_ = &plan.schema;
    states_ = RowStates(ranks, plan.schema.thread, left_out_of_paje);
    define(plan);
    create_containers(plan.schema);
    file_.emplace(ranks, path_, header_ + containers_);
}

void PajeSink::define(const Plan& plan) {
    header_ = header_text();
    add_line(header_, "{} N 0 \"Node\"", +container_type);
    add_line(header_, "{} P N \"Process\"", +container_type);
    add_line(header_, "{} T P \"Thread\"", +container_type);
    add_line(header_, "{} S T \"States\"", +container_type);
    add_line(header_, "{} L 0 T T \"Message\"", +link_type);
    add_line(header_, "{} m L \"message\" \"0.30 0.30 0.30\"", +entity_value);
    const Schema schema = with_all_labels(plan);
    const auto& types = schema.thread.types;
    for (uint32_t t : states_.types().places()) {
        const uint32_t type = types[t].type;
        if (is_counter(type))
            add_line(header_, "{} t{} T {} {}", +variable_type, t, in_quotes(types[t].title), color(t, 0));
        else
            add_line(header_, "{} t{} {} {}", +state_type, t, type == prv_type::mpi_function ? 'T' : 'S',
                     in_quotes(types[t].title));
    }
    define_values(schema.thread);
}

void PajeSink::define_values(const FileSchema& file) {
    for (uint32_t t : states_.types().places()) {
        for (const auto& [value, label] : file.types[t].labels.all())
            if (value != 0 && defined_.emplace(t, value).second)
                add_line(header_, "{} t{}v{} t{} {} {}", +entity_value, t, value, t, in_quotes(label),
                         color(t, value));
    }
}

void PajeSink::create_containers(const Schema& schema) {
    std::map<std::string, size_t> nodes;
    const std::string begin = date(0);
    for (uint32_t p : processes_in_order(schema)) {
        const ShownProcess& process = schema.processes[p];
        const auto [node, is_new] = nodes.emplace(process.host, nodes.size());
        if (is_new)
            add_line(containers_, "{} {} n{} N 0 {}", +create_container, begin, node->second,
                     in_quotes(process.host));
        const std::string name =
            has_rank(process) ? "rank " + process.rank_name : fmt::format("process {}", process.pid);
        add_line(containers_, "{} {} p{} P n{} {}", +create_container, begin, p, node->second,
                 in_quotes(name));
    }
    for (uint32_t row = 0; row < schema.threads.size(); ++row)
        add_line(containers_, "{} {} r{} T p{} {}", +create_container, begin, row,
                 schema.threads[row].process, in_quotes((*schema.thread.rows)[row]));
}

// A message is not received before it is sent, though clocks may say so: lines are in the order of time.
void PajeSink::expect_ends(const Slice& slice) {
    uint64_t number = links_.last();
    for (const MessageRecord& message : slice.messages)
        ends_.add({std::max(message.receive_end, message.time), ++number, message.receiver_row, 0});
}

void PajeSink::share(const Slice& slice) {
    if (ranks_->is_alone()) return;
    place();
    states_.share(slice.records);
    links_.share(*ranks_, slice.messages.size());
    expect_ends(slice);
    ends_.share(*ranks_, slice);
}

void PajeSink::place() {
    std::array files{&*file_};
    place_kept(*ranks_, files);
}

void PajeSink::flush() {
    file_->append(text_);
    text_.clear();
}

void PajeSink::write(const Slice& slice) {
    if (ranks_->is_alone()) {
        expect_ends(slice);
        ends_.sort();
    } else {
        file_->write_placed();
    }
    const auto add_ends = [&](int64_t before) {
        ends_.take_before(before, [&](const LinkEnd& end) { add(end); });
    };
    std::span<const MessageRecord> messages = slice.messages;
    const auto add_messages = [&](Moment until) {
        take_messages_before(until, messages, [&](const MessageRecord& message) {
            add_ends(message.time);
            add(message);
        });
    };
    for (const Record& record : slice.records) {
        add_messages(record.moment());
        add_ends(record.time);
        add(record);
        flush();
    }
    add_messages(end_of_trace);
    if (!ranks_->is_alone()) add_ends(INT64_MAX);
    ends_.end_slice();
    flush();
}

void PajeSink::add(const Record& record) {
    if (!states_.types().shows(record)) return;
    if (is_counter(record.type))
        add_line(text_, "{} {} t{} r{} {}", +set_variable, date(record.time),
                 states_.types().place_of(record.type), record.thread_row, record.value);
    else if (const std::optional<RowStates::Change> change = states_.take(record))
        add_state(record, *change);
}

// A state is popped, not reset: ViTE knows no other end.
void PajeSink::add_state(const Record& record, const RowStates::Change& change) {
    const auto [row, type] = change.key;
    const std::string time = date(record.time), container = container_of(change.key);
    if (change.is_first && record.type != prv_type::mpi_function) {
        made_.push_back(uint64_t{row} << 32 | type);
        add_line(text_, "{} {} {} S r{} {}", +create_container, time, container, row,
                 in_quotes(schema_->thread.types[type].title));
    }
    if (record.value == 0) {
        if (change.ends) add_line(text_, "{} {} t{} {}", +pop_state, time, type, container);
        return;
    }
    if (!defined_.contains({type, record.value})) used_late_.emplace(type, record.value);
    add_line(text_, "{} {} t{} {} t{}v{}", +set_state, time, type, container, type, record.value);
}

std::string PajeSink::container_of(RowStates::Key key) const {
    const auto [row, type] = key;
    return schema_->thread.types[type].type == prv_type::mpi_function ? fmt::format("r{}", row)
                                                                      : fmt::format("r{}t{}", row, type);
}

void PajeSink::add(const MessageRecord& message) {
    constexpr uint64_t unknown = UINT64_MAX;
    add_line(
        text_, "{} {} L 0 r{} m {} {} {}", +start_link, date(message.time), message.sender_row, links_.next(),
        message.bytes == unknown ? std::string("unknown") : fmt::format("{}", message.bytes), message.tag);
}

void PajeSink::add(const LinkEnd& end) {
    add_line(text_, "{} {} L 0 r{} m {}", +end_link, date(end.time), end.row, end.number);
}

// Values whose labels are known at the end only, and those without any.
void PajeSink::add_late_values(const Outcome& outcome) {
    std::vector<int64_t> mine;
    for (auto [type, value] : used_late_) mine.insert(mine.end(), {int64_t{type}, value});
    mine = ranks_->gather_joined(mine);
    std::set<Value> all;
    for (size_t i = 0; i < mine.size(); i += 2) all.emplace(static_cast<uint32_t>(mine[i]), mine[i + 1]);
    if (all.empty()) return;
    FileSchema late;
    late.types = outcome.schema.thread.types;
    for (uint32_t t = 0; t < late.types.size(); ++t) {
        ValueLabels used;
        for (const auto& [value, label] : late.types[t].labels.all())
            if (all.contains({t, value})) used.emplace_back(value, label);
        late.types[t].labels = std::move(used);
    }
    for (auto [type, value] : all) late.types[type].labels.emplace_back(value, fmt::format("{}", value));
    define_values(late);
}

void PajeSink::destroy_containers(int64_t time, std::vector<uint64_t> made) {
    std::ranges::sort(made);
    for (const uint64_t state : made)
        add_line(text_, "{} {} S r{}t{}", +destroy_container, date(time), state >> 32,
                 static_cast<uint32_t>(state));
    for (uint32_t row = 0; row < schema_->threads.size(); ++row)
        add_line(text_, "{} {} T r{}", +destroy_container, date(time), row);
}

void PajeSink::end(const Outcome& outcome) {
    if (!ranks_->is_alone()) {
        place();
        ranks_->agree([&] { file_->write_placed(); });
    }
    const std::vector<LinkEnd> ends = ends_.rest(*ranks_);
    std::vector<uint64_t> made = ranks_->gather_joined(made_);
    add_late_values(outcome);
    ranks_->agree([&] {
        if (!ranks_->is_root()) return;
        for (const LinkEnd& end : ends) add(end);
        destroy_containers(std::max(outcome.duration, ends.empty() ? 0 : ends.back().time), std::move(made));
        flush();
    });
    if (!ranks_->is_alone()) {
        place();
        ranks_->agree([&] { file_->write_placed(); });
    }
    file_->finish(header_ + containers_);
    ranks_->agree([&] {
        if (ranks_->is_root()) commit(*file_, path_, outcome.ending);
    });
}

}  // namespace ovni
