#include "tools/cut_metadata.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/semver.hpp"
#include "model/model_spec.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;
using Group = std::vector<CutMetadata*>;  // streams that something concerns; one at least is kept

CutMetadata& first_kept(const Group& group) {
    return **std::ranges::find_if(group, &CutMetadata::is_kept);
}

Json& own(CutMetadata& stream) {
    return stream.json["ovni"];
}

// Members of an object by their keys as numbers.
void sort_by_number(Json& object) {
    std::vector<std::pair<std::string, Json>> members;
    for (const auto& [key, value] : object.items()) members.emplace_back(key, value);
    std::ranges::stable_sort(members, {}, [](const auto& member) { return std::stoll(member.first); });
    object = Json::object();
    for (auto& [key, value] : members) object[key] = std::move(value);
}

void keep_cpus(const Group& loom) {
    std::map<int, int> missing, kept;  // phyid by index
    for (const CutMetadata* stream : loom)
        for (CpuId cpu : stream->read->cpus) (stream->is_kept ? kept : missing).emplace(cpu.index, cpu.phyid);
    std::erase_if(missing, [&](const auto& cpu) { return kept.contains(cpu.first); });
    if (missing.empty()) return;
    CutMetadata& heir = first_kept(loom);
    for (CpuId cpu : heir.read->cpus) missing.emplace(cpu.index, cpu.phyid);
    Json cpus = Json::array();
    for (auto [index, phyid] : missing) cpus.push_back({{"index", index}, {"phyid", phyid}});
    own(heir)["loom_cpus"] = std::move(cpus);
}

void keep_rank(const Group& process) {
    CutMetadata& heir = first_kept(process);
    auto keep = [&](const char* key, std::optional<int> StreamMetadata::*member) {
        auto has = [&](const CutMetadata* stream) { return (stream->read->*member).has_value(); };
        bool is_known = std::ranges::any_of(process, [&](auto* s) { return s->is_kept && has(s); });
        auto source = std::ranges::find_if(process, has);
        if (!is_known && source != process.end()) own(heir)[key] = *((*source)->read->*member);
    };
    keep("app_id", &StreamMetadata::app_id);
    keep("rank", &StreamMetadata::rank);
    keep("nranks", &StreamMetadata::nranks);
}

void keep_clock(const Group& host) {
    CutMetadata& heir = first_kept(host);
    for (CutMetadata* stream : host) {
        if (stream->is_kept || !stream->read->clock) continue;
        const Json& clock = own(*stream)["clock"];
        Json& kept = own(heir);
        if (!kept.contains("clock")) {
            kept["clock"] = clock;
            continue;
        }
        if (kept["clock"]["reference"] != clock["reference"]) continue;
        auto& points = kept["clock"]["points"].get_ref<Json::array_t&>();
        for (const Json& point : clock["points"]) points.push_back(point);
        std::ranges::stable_sort(points, {}, [](const Json& point) { return point["local"].get<int64_t>(); });
        points.erase(std::unique(points.begin(), points.end()), points.end());
    }
}

// Types, and labels of types, by their keys: of a type itself the label is empty.
using MarkKeys = std::set<std::pair<std::string, std::string>>;

template <class See>
void for_each_mark(CutMetadata& stream, See see) {
    if (!own(stream).contains("mark")) return;
    for (const auto& [type, mark] : own(stream)["mark"].items()) {
        see(type, "", mark);
        Json labels = mark.value("labels", Json::object());
        for (const auto& [value, label] : labels.items()) see(type, value, mark);
    }
}

void keep_marks(const Group& all) {
    MarkKeys known;
    for (CutMetadata* stream : all)
        if (stream->is_kept)
            for_each_mark(*stream, [&](const auto& type, const std::string& value, const Json&) {
                known.emplace(type, value);
            });
    CutMetadata& heir = first_kept(all);
    auto add = [&](const std::string& type, const std::string& value, const Json& mark) {
        if (!known.emplace(type, value).second) return;
        Json& marks = own(heir)["mark"];
        if (!marks.contains(type)) {
            marks[type] = mark;
            marks[type].erase("labels");
            sort_by_number(marks);
        }
        if (value.empty()) return;
        marks[type]["labels"][value] = mark["labels"][value];
        sort_by_number(marks[type]["labels"]);
    };
    for (CutMetadata* stream : all)
        if (!stream->is_kept) for_each_mark(*stream, add);
}

void keep_counters(const Group& all) {
    auto has = [](const CutMetadata* stream) { return !stream->read->hardware_counters.empty(); };
    if (std::ranges::any_of(all, [&](auto* s) { return s->is_kept && has(s); })) return;
    auto source = std::ranges::find_if(all, has);
    if (source != all.end()) first_kept(all).json["nosv"]["hwc"] = (*source)->json["nosv"]["hwc"];
}

// The highest version of each model that a stream requires.
void keep_required(const Group& all) {
    struct Highest {
        std::string all, kept;
    };
    auto order = [](const std::string& text) {
        Version version = parse_version(text).value_or(Version{-1});
        return std::tuple(version.major, version.minor, version.patch);
    };
    auto raise = [&](std::string& highest, const std::string& version) {
        if (highest.empty() || order(highest) < order(version)) highest = version;
    };
    std::map<std::string, Highest> models;
    for (const CutMetadata* stream : all)
        for (const auto& [model, version] : stream->read->require) {
            raise(models[model].all, version);
            if (stream->is_kept) raise(models[model].kept, version);
        }
    if (!first_kept(all).read->has_require) return;
    Json& require = own(first_kept(all))["require"];
    bool is_sorted = false;
    for (const auto& [model, highest] : models) {
        if (!highest.kept.empty() && order(highest.kept) >= order(highest.all)) continue;
        require[model] = highest.all;
        is_sorted = true;
    }
    if (!is_sorted) return;
    std::map<std::string, Json> members;
    for (const auto& [model, version] : require.items()) members.emplace(model, version);
    require = Json::object();
    for (auto& [model, version] : members) require[model] = std::move(version);
}

// What is left out of all streams: models, and how streams ended that go on behind the part.
void leave_out(CutMetadata& stream, const CutOptions& options) {
    Json& ovni = own(stream);
    if (!stream.ends_inside) ovni.erase("end");
    if (!options.keeps_model('O')) ovni.erase("mark");
    if (!ovni.contains("require") || !ovni["require"].is_object()) return;
    for (const ModelSpec* model : all_models())
        if (model->id != 'O' && !options.keeps_model(model->id)) ovni["require"].erase(model->name);
}

// In an order that does not depend on what was added when.
void put_in_order(CutMetadata& stream) {
    Json& ovni = own(stream);
    for (const char* key : {"mark", "app_id", "rank", "nranks", "loom_cpus", "clock", "end", "finished"}) {
        if (!ovni.contains(key)) continue;
        Json value = std::move(ovni[key]);
        ovni.erase(key);
        ovni[key] = std::move(value);
    }
}

template <class Key>
void for_each_group(std::vector<CutMetadata>& streams, Key key, void (*keep)(const Group& group)) {
    std::map<decltype(key(streams[0])), Group> groups;
    for (CutMetadata& stream : streams)
        if (stream.read->part == "thread") groups[key(stream)].push_back(&stream);
    for (const auto& entry : groups)
        if (std::ranges::any_of(entry.second, &CutMetadata::is_kept)) keep(entry.second);
}

}  // namespace

void cut_metadata(std::vector<CutMetadata>& streams, const CutOptions& options) {
    if (streams.empty()) return;
    using One = const CutMetadata&;
    for_each_group(
        streams, [](One stream) { return stream.read->loom; }, keep_cpus);
    auto process = [](One stream) { return std::pair(stream.read->loom, stream.read->pid); };
    for_each_group(streams, process, keep_rank);
    for_each_group(
        streams, [](One stream) { return host_of(*stream.read); }, keep_clock);
    for (auto* keep : {keep_marks, keep_counters, keep_required})
        for_each_group(
            streams, [](One) { return 0; }, keep);
    for (CutMetadata& stream : streams) {
        if (!stream.is_kept) continue;
        leave_out(stream, options);
        put_in_order(stream);
    }
}

}  // namespace ovni
