#include "trace/metadata.hpp"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json.hpp"
#include "core/parse_number.hpp"
#include "ovni/counter_events.h"
#include "ovni/mpi_events.h"
#include "trace/clock_table.hpp"
#include "trace/json_members.hpp"

namespace ovni {

namespace {

constexpr size_t longest_label = 511;
constexpr size_t longest_loom = 4095;
constexpr int most_mark_types = 100;
constexpr int most_counters = 100;

int positive(const Members& ovni, const char* key) {
    int value = ovni.must(ovni.number<int>(key), key);
    if (value <= 0) ovni.fail(key, fmt::format("is {}, must be above 0", value));
    return value;
}

void check_version(const Members& top) {
    constexpr int ours = 3;
    int version = top.must(top.number<int>("version"), "version");
    if (version != ours)
        top.fail("version", fmt::format("metadata of version {}, this program reads {}", version, ours));
}

std::string loom_of(const Members& ovni) {
    std::string loom = ovni.must(ovni.text("loom"), "loom");
    if (std::ranges::find(loom, '/') != loom.end())
        ovni.fail("loom", fmt::format("'{}' has a '/' in it", loom));
    if (loom.size() > longest_loom) ovni.fail("loom", "is too long");
    return loom;
}

CpuId cpu_of(const Json& value, const Members& ovni) {
    if (!value.is_object()) ovni.fail("loom_cpus", "has an element that is not an object");
    Members members(&value, "ovni.loom_cpus.", ovni.path());
    CpuId cpu{members.number<int>("index").value_or(0), members.number<int>("phyid").value_or(0)};
    if (cpu.index < 0) members.fail("index", fmt::format("is {}, must not be negative", cpu.index));
    if (cpu.phyid < 0) members.fail("phyid", fmt::format("is {}, must not be negative", cpu.phyid));
    return cpu;
}

std::vector<CpuId> cpus_of(const Members& ovni) {
    const Json* array = ovni.find("loom_cpus");
    if (!array) return {};
    if (!array->is_array()) ovni.fail("loom_cpus", "is not an array");
    if (array->empty()) ovni.fail("loom_cpus", "is empty");
    std::vector<CpuId> cpus;
    std::map<int, int> index_of;
    for (const Json& value : *array) {
        CpuId cpu = cpu_of(value, ovni);
        auto [known, is_new] = index_of.emplace(cpu.phyid, cpu.index);
        if (is_new)
            cpus.push_back(cpu);
        else if (known->second != cpu.index)
            ovni.fail("loom_cpus", fmt::format("CPU with phyid {} has the indices {} and {}", cpu.phyid,
                                               known->second, cpu.index));
    }
    return cpus;
}

void read_rank(const Members& ovni, ProcessMetadata& process) {
    process.rank = ovni.number<int>("rank");
    if (!process.rank) return;
    if (*process.rank < 0) ovni.fail("rank", fmt::format("is {}, must not be negative", *process.rank));
    process.nranks = ovni.number<int>("nranks");
    if (!process.nranks) ovni.fail("nranks", "is missing, but there is a rank");
    if (*process.nranks <= 0) ovni.fail("nranks", fmt::format("is {}, must be above 0", *process.nranks));
    if (*process.rank >= *process.nranks)
        ovni.fail("rank", fmt::format("is {} of {} ranks", *process.rank, *process.nranks));
}

std::vector<std::pair<int64_t, std::string>> labels_of(const Members& mark) {
    std::vector<std::pair<int64_t, std::string>> labels;
    Members object = mark.object("labels");
    if (!object.json()) return labels;
    std::map<int64_t, std::string> known;
    for (const auto& [key, text] : object.json()->items()) {
        std::optional<int64_t> value = parse_number<int64_t>(key);
        if (!value) object.fail(key.c_str(), "the value of a label is not a decimal number");
        std::string label = *object.text(key.c_str());
        if (label.size() > longest_label) object.fail(key.c_str(), "the label has more than 511 bytes");
        auto [other, is_new] = known.emplace(*value, label);
        if (is_new)
            labels.emplace_back(*value, std::move(label));
        else if (other->second != label)
            object.fail(key.c_str(), "two labels for one value");
    }
    return labels;
}

MarkType mark_of(const Members& marks, const std::string& key) {
    std::optional<int> type = parse_number<int>(key);
    if (!type || *type < 0 || *type >= most_mark_types)
        marks.fail(key.c_str(), "the type of a mark is not a number from 0 to 99");
    if (!marks.find(key.c_str())->is_object()) marks.fail(key.c_str(), "is not an object");
    Members mark = marks.object(key.c_str());
    MarkType result;
    result.type = *type;
    result.title = mark.must(mark.text("title"), "title");
    if (result.title.size() > longest_label) mark.fail("title", "has more than 511 bytes");
    std::string kind = mark.must(mark.text("chan_type"), "chan_type");
    if (kind != "single" && kind != "stack")
        mark.fail("chan_type", fmt::format("is '{}', neither 'single' nor 'stack'", kind));
    const Json* punctual = mark.find("punctual");
    result.kind = kind == "stack"                       ? MarkKind::stack
                  : punctual && *punctual == Json(true) ? MarkKind::punctual
                                                        : MarkKind::single;
    result.labels = labels_of(mark);
    return result;
}

std::vector<MarkType> marks_of(const Members& ovni) {
    std::vector<MarkType> marks;
    Members object = ovni.object("mark");
    if (!object.json()) return marks;
    for (const auto& [key, value] : object.json()->items()) {
        marks.push_back(mark_of(object, key));
        for (size_t i = 0; i + 1 < marks.size(); ++i)
            if (marks[i].type == marks.back().type) object.fail(key.c_str(), "a type of marks twice");
    }
    return marks;
}

// Only the models know which names matter, so versions are not checked here.
void read_require(const Members& ovni, CommonMetadata& metadata) {
    const Json* require = ovni.find("require");
    metadata.has_require = require && require->is_object();
    if (!metadata.has_require) return;
    for (const auto& [model, version] : require->items())
        if (version.is_string()) metadata.require.emplace(model, version.get<std::string>());
}

void read_nosv(const Members& top, CommonMetadata& metadata) {
    Members nosv(top.find("nosv"), "nosv.", top.path());
    if (const Json* can = nosv.find("can_breakdown"); can && can->is_boolean())
        metadata.can_breakdown = can->get<bool>();
    Members counters = nosv.object("hwc");
    if (!counters.json()) return;
    auto count = static_cast<int>(counters.json()->size());
    for (const auto& [key, value] : counters.json()->items()) {
        std::optional<int> index = parse_number<int>(key);
        if (!index || *index < 0 || *index >= count || *index >= most_counters)
            counters.fail(key.c_str(), "the index of a counter is not a number below their count and 100");
        if (!value.is_object()) counters.fail(key.c_str(), "is not an object");
        Members counter = counters.object(key.c_str());
        metadata.hardware_counters.emplace_back(*index, counter.must(counter.text("name"), "name"));
    }
}

// The members of an object by their numbers, each a text that `parse` takes.
template <class Item>
std::map<uint32_t, Item> numbered(const Members& parent, const char* key, const char* what,
                                  std::optional<Item> (*parse)(std::string_view)) {
    std::map<uint32_t, Item> items;
    Members object = parent.object(key);
    if (!object.json()) return items;
    for (const auto& [name, value] : object.json()->items()) {
        std::optional<uint32_t> number = parse_number<uint32_t>(name);
        if (!number)
            object.fail(name.c_str(), fmt::format("the number of a {} is not a decimal number", what));
        std::optional<Item> item = parse(*object.text(name.c_str()));
        if (!item) object.fail(name.c_str(), fmt::format("does not describe a {}", what));
        items.emplace(*number, std::move(*item));
    }
    return items;
}

CallSiteTable call_sites_of(const Members& top) {
    Members mpi = top.object("mpi");
    CallSiteTable calls;
    calls.modules = numbered(mpi, "modules", "module", parse_module);
    calls.sites = numbered(mpi, "sites", "call site", parse_call_site);
    for (const auto& [number, site] : calls.sites)
        for (const CallSite::Caller& caller : site.callers)
            if (caller.module && !calls.modules.contains(*caller.module))
                mpi.object("sites").fail(
                    std::to_string(number).c_str(),
                    fmt::format("has module {}, which is not in mpi.modules", *caller.module));
    const std::optional<std::string> callers = mpi.text("callers");
    if (!callers) return calls;
    calls.callers = parse_number<uint32_t>(*callers).value_or(0);
    if (calls.callers == 0 || calls.callers > OVNI_MPI_MOST_CALLERS)
        mpi.fail("callers", fmt::format("is no number from 1 to {}", int{OVNI_MPI_MOST_CALLERS}));
    return calls;
}

std::vector<std::string> counters_of(const Members& ovni) {
    const Json* list = ovni.find("counters");
    if (!list) return {};
    if (!list->is_array() || list->size() > OVNI_COUNTERS_MOST)
        ovni.fail("counters", "is no list of counters");
    std::vector<std::string> names;
    for (const Json& name : *list) {
        if (!name.is_string() || name.get_ref<const std::string&>().empty())
            ovni.fail("counters", "has a counter without a name");
        names.push_back(name.get<std::string>());
    }
    return names;
}

// The key lists what ovnicut has left out. Other words say nothing to this version.
void read_cut(const Members& ovni, StreamMetadata& metadata) {
    const Json* list = ovni.find("cut");
    if (!list) return;
    if (!list->is_array()) ovni.fail("cut", "is no list of what was left out");
    for (const Json& left_out : *list) {
        metadata.leaves_threads_out |= left_out == "threads";
        metadata.begins_inside |= left_out == "begin";
    }
}

std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

// As a shell takes it.
std::string command_of(const Members& ovni) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./=+,:@%";
    const Json* words = ovni.find("command");
    std::string command;
    if (!words || !words->is_array()) return command;
    for (const Json& word : *words) {
        const std::string text = word.is_string() ? word.get<std::string>() : "?";
        command += command.empty() ? "" : " ";
        command += !text.empty() && text.find_first_not_of(plain) == text.npos ? text : quoted(text);
    }
    return command;
}

std::optional<int64_t> began_of(const Members& ovni) {
    std::optional<int64_t> began = ovni.number<int64_t>("began");
    constexpr int64_t end_of_9999 = 253'402'300'799;
    if (began && (*began < 0 || *began > end_of_9999)) ovni.fail("began", "is no time");
    return began;
}

std::optional<StreamMetadata::End> end_of(const Members& ovni) {
    Members end = ovni.object("end");
    if (!end.json()) return std::nullopt;
    std::optional<int64_t> clock = end.number<int64_t>("clock");
    constexpr int64_t latest = int64_t{1} << 62;
    if (clock && (*clock < 0 || *clock > latest)) end.fail("clock", "is not a clock");
    return StreamMetadata::End{end.must(end.text("by"), "by"), end.number<int64_t>("code").value_or(0),
                               clock};
}

std::optional<ProcessMetadata::CpuUse> cpu_use_of(const Members& top) {
    const Members use = top.object("mpi").object("use");
    if (!use.json()) return std::nullopt;
    const auto number = [&](const char* name) {
        const auto value = parse_number<int64_t>(use.must(use.text(name), name));
        if (!value || *value < 0) use.fail(name, "is no number from 0 on");
        return *value;
    };
    ProcessMetadata::CpuUse found{number("wall_ns"), number("cpu_ns"), number("involuntary_switches")};
    if (!use.find("busy_ns")) return found;
    found.busy = number("busy_ns");
    if (use.find("children_ns")) found.children = number("children_ns");
    found.cpus = use.must(use.text("cpus"), "cpus");
    return found;
}

ProcessMetadata::Clock clock_of(const Members& ovni) {
    Members clock = ovni.object("clock");
    if (!clock.json()) return {};
    const Json* points = clock.find("points");
    if (!points) clock.fail("points", "is missing");
    return {clock.must(clock.text("reference"), "reference"),
            parse_measurements(*points, "ovni.clock.points", ovni.path())};
}

Json parse_object(std::string_view text, const std::string& path) {
    Json json = parse_json(text, path);
    if (!json.is_object()) throw Error("the metadata is not a JSON object", path);
    check_version(Members(&json, "", path));
    return json;
}

}  // namespace

bool is_of_running_program(std::string_view text) {
    if (text.find("\"running\"") == text.npos) return false;
    const Json json = Json::parse(text, nullptr, false, true);
    const auto at = Json::json_pointer("/ovni/end/by");
    return json.is_object() && json.contains(at) && json[at] == "running";
}

StreamMetadata parse_metadata_version(std::string_view text, const std::string& path) {
    const Json json = parse_object(text, path);
    const auto at = Json::json_pointer("/ovni/counters");
    StreamMetadata metadata;
    if (!json.contains(at) || !json[at].is_array()) return metadata;
    CommonMetadata common;
    for (const Json& name : json[at])
        common.counters.push_back(name.is_string() ? name.get<std::string>() : "?");
    metadata.common = std::move(common);
    return metadata;
}

namespace {

int64_t time_offset_of(const Members& ovni) {
    const int64_t offset = ovni.number<int64_t>("time_offset").value_or(0);
    if (offset > farthest_clock || offset < -farthest_clock) ovni.fail("time_offset", "is beyond 2^61 ns");
    return offset;
}

CommonMetadata common_of(const Members& top, const Members& ovni) {
    CommonMetadata common;
    common.part = ovni.must(ovni.text("part"), "part");
    if (common.part != "thread") return common;
    common.loom = loom_of(ovni);
    common.host = ovni.text("host");
    common.cpus = cpus_of(ovni);
    read_require(ovni, common);
    common.marks = marks_of(ovni);
    Members library = ovni.object("lib");
    common.lib_version = library.text("version");
    common.lib_commit = library.text("commit");
    common.run = ovni.text("run");
    common.command = command_of(ovni);
    common.began = began_of(ovni);
    common.counters = counters_of(ovni);
    read_nosv(top, common);
    return common;
}

ProcessMetadata process_of(const Members& top, const Members& ovni) {
    ProcessMetadata process;
    process.pid = positive(ovni, "pid");
    if (ovni.find("app_id")) process.app_id = positive(ovni, "app_id");
    read_rank(ovni, process);
    process.clock = clock_of(ovni);
    process.time_offset = time_offset_of(ovni);
    process.calls = call_sites_of(top);
    process.cpu_use = cpu_use_of(top);
    return process;
}

}  // namespace

StreamMetadata parse_metadata(std::string_view text, const std::string& path) {
    const Json json = parse_object(text, path);
    Members top(&json, "", path);
    Members ovni(top.find("ovni"), "ovni.", path);
    StreamMetadata metadata;
    metadata.common = common_of(top, ovni);
    if (metadata.common->part != "thread") return metadata;
    metadata.process = process_of(top, ovni);
    metadata.tid = positive(ovni, "tid");
    metadata.name = ovni.text("name").value_or("");
    metadata.finished = ovni.number<int>("finished").value_or(0) == 1;
    metadata.goes_on = ovni.number<int>("goes_on").value_or(0) == 1;
    metadata.samples_cpus = ovni.text("cpu") == "sampled";
    read_cut(ovni, metadata);
    metadata.end = end_of(ovni);
    return metadata;
}

size_t hash_value(const MarkType& mark) {
    size_t hash = 0;
    boost::hash_combine(hash, mark.type);
    boost::hash_combine(hash, mark.labels);
    return hash;
}

size_t hash_value(const CommonMetadata& common) {
    size_t hash = 0;
    boost::hash_combine(hash, common.loom);
    boost::hash_combine(hash, common.cpus.size());
    boost::hash_combine(hash, common.require);
    boost::hash_combine(hash, common.marks);
    boost::hash_combine(hash, common.counters);
    return hash;
}

size_t hash_value(const CallSiteTable& calls) {
    size_t hash = calls.modules.size();
    for (const auto& [number, site] : calls.sites) {
        boost::hash_combine(hash, number);
        for (const CallSite::Caller& caller : site.callers) boost::hash_combine(hash, caller.offset);
    }
    return hash;
}

size_t hash_value(const ProcessMetadata::Clock& clock) {
    size_t hash = clock.points.size();
    boost::hash_combine(hash, clock.reference);
    for (const ClockMeasurement& measured : clock.points) boost::hash_combine(hash, measured.point.local);
    return hash;
}

size_t hash_value(const ProcessMetadata& process) {
    size_t hash = 0;
    boost::hash_combine(hash, process.pid);
    boost::hash_combine(hash, process.rank.value_or(-1));
    boost::hash_combine(hash, process.clock);
    boost::hash_combine(hash, process.time_offset);
    boost::hash_combine(hash, process.calls);
    return hash;
}

std::string host_of(const StreamMetadata& metadata) {
    const CommonMetadata& common = *metadata.common;
    return std::string(host_of_loom(common.host.value_or(common.loom)));
}

}  // namespace ovni
