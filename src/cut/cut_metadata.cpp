#include "cut/cut_metadata.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/semver.hpp"
#include "model/model_spec.hpp"

namespace ovni {

namespace {

using Json = nlohmann::ordered_json;
using Group = std::vector<CutMetadata*>;  // streams that something concerns; at least one is kept

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
        for (CpuId cpu : stream->read->common->cpus)
            (stream->is_kept ? kept : missing).emplace(cpu.index, cpu.phyid);
    std::erase_if(missing, [&](const auto& cpu) { return kept.contains(cpu.first); });
    if (missing.empty()) return;
    CutMetadata& heir = first_kept(loom);
    for (CpuId cpu : heir.read->common->cpus) missing.emplace(cpu.index, cpu.phyid);
    Json cpus = Json::array();
    for (auto [index, phyid] : missing) cpus.push_back({{"index", index}, {"phyid", phyid}});
    own(heir)["loom_cpus"] = std::move(cpus);
}

void keep_rank(const Group& process) {
    CutMetadata& heir = first_kept(process);
    auto keep = [&](const char* key, std::optional<int> ProcessMetadata::*member) {
        auto has = [&](const CutMetadata* stream) { return ((*stream->read->process).*member).has_value(); };
        bool is_known = std::ranges::any_of(process, [&](auto* s) { return s->is_kept && has(s); });
        auto source = std::ranges::find_if(process, has);
        if (!is_known && source != process.end()) own(heir)[key] = *((*(*source)->read->process).*member);
    };
    keep("app_id", &ProcessMetadata::app_id);
    keep("rank", &ProcessMetadata::rank);
    keep("nranks", &ProcessMetadata::nranks);
}

void keep_clock(const Group& host) {
    CutMetadata& heir = first_kept(host);
    for (CutMetadata* stream : host) {
        if (stream->is_kept || stream->read->process->clock->points.empty()) continue;
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

// Types, and labels of types, by the numbers that their keys are; of a type itself there is no value.
using MarkKey = std::pair<int64_t, std::optional<int64_t>>;

template <class See>
void for_each_mark(CutMetadata& stream, See see) {
    if (!own(stream).contains("mark")) return;
    for (const auto& [type, mark] : own(stream)["mark"].items()) {
        int64_t number = std::stoll(type);
        see({number, {}}, mark, Json());
        if (!mark.contains("labels")) continue;
        for (const auto& [value, label] : mark["labels"].items())
            see({number, std::stoll(value)}, mark, label);
    }
}

// The member with that number, however it is written; made where there is none.
Json& member_of(Json& object, int64_t number, const Json& otherwise) {
    for (const auto& [key, value] : object.items())
        if (std::stoll(key) == number) return value;
    object[std::to_string(number)] = otherwise;
    sort_by_number(object);
    return object[std::to_string(number)];
}

void keep_marks(const Group& all) {
    std::set<MarkKey> known;
    for (CutMetadata* stream : all)
        if (stream->is_kept)
            for_each_mark(*stream, [&](MarkKey key, const Json&, const Json&) { known.insert(key); });
    CutMetadata& heir = first_kept(all);
    auto add = [&](MarkKey key, const Json& mark, const Json& label) {
        if (!known.insert(key).second) return;
        Json plain = mark;
        plain.erase("labels");
        Json& type = member_of(own(heir)["mark"], key.first, plain);
        if (key.second) member_of(type["labels"], *key.second, label);
    };
    for (CutMetadata* stream : all)
        if (!stream->is_kept) for_each_mark(*stream, add);
}

void keep_counters(const Group& all) {
    auto has = [](const CutMetadata* stream) { return !stream->read->common->hardware_counters.empty(); };
    if (std::ranges::any_of(all, [&](auto* s) { return s->is_kept && has(s); })) return;
    auto source = std::ranges::find_if(all, has);
    if (source != all.end()) first_kept(all).json["nosv"]["hwc"] = (*source)->json["nosv"]["hwc"];
}

bool is_left_out(const std::string& model, const CutOptions& options) {
    return std::ranges::any_of(all_models(), [&](const ModelSpec* spec) {
        return spec->name == model && spec->id != 'O' && !options.keeps_model(spec->id);
    });
}

// Members keep their order. A new one comes before the first that is greater: it does not matter which of
// several comes when.
void require(Json& models, const std::string& model, const std::string& version) {
    auto& members = models.get_ref<Json::object_t&>();
    if (auto known = members.find(model); known != members.end()) {
        known->second = version;
        return;
    }
    Json::object_t longer;
    bool is_there = false;
    auto add = [&] {
        if (!std::exchange(is_there, true)) longer[model] = version;
    };
    for (auto& [name, value] : members) {
        if (name > model) add();
        longer[name] = std::move(value);
    }
    add();
    members = std::move(longer);
}

// The highest version of each model that a stream requires.
void keep_required(const Group& all, const CutOptions& options) {
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
        for (const auto& [model, version] : stream->read->common->require) {
            raise(models[model].all, version);
            if (stream->is_kept) raise(models[model].kept, version);
        }
    if (!first_kept(all).read->common->has_require) return;
    Json& required = own(first_kept(all))["require"];
    for (const auto& [model, highest] : models) {
        bool is_known = !highest.kept.empty() && order(highest.kept) >= order(highest.all);
        if (!is_known && !is_left_out(model, options)) require(required, model, highest.all);
    }
}

// Removes what is no part of the new trace: models, their marks, and an end of the stream behind the part.
void leave_out(CutMetadata& stream, const CutOptions& options) {
    Json& ovni = own(stream);
    if (!stream.ends_inside) ovni.erase("end");
    if (!options.keeps_model('O')) ovni.erase("mark");
    if (!ovni.contains("require") || !ovni["require"].is_object()) return;
    for (const ModelSpec* model : all_models())
        if (is_left_out(std::string(model->name), options)) ovni["require"].erase(model->name);
}

// Marks missing threads and events as left out, so that they do not count as lost; also in a cut of a cut.
void describe_cut(CutMetadata& stream, bool leaves_threads_out) {
    Json left_out = Json::array();
    if (leaves_threads_out || stream.read->leaves_threads_out) left_out.push_back("threads");
    if (stream.begins_inside || stream.read->begins_inside) left_out.push_back("begin");
    if (!left_out.empty()) own(stream)["cut"] = std::move(left_out);
}

// The order does not depend on what was added when.
void put_in_order(CutMetadata& stream) {
    Json& ovni = own(stream);
    for (const char* key :
         {"mark", "app_id", "rank", "nranks", "loom_cpus", "clock", "end", "cut", "finished"}) {
        if (!ovni.contains(key)) continue;
        Json value = std::move(ovni[key]);
        ovni.erase(key);
        ovni[key] = std::move(value);
    }
}

template <class Key, class Keep>
void for_each_group(std::vector<CutMetadata>& streams, Key key, Keep keep) {
    std::map<decltype(key(streams[0])), Group> groups;
    for (CutMetadata& stream : streams)
        if (stream.read->common->part == "thread") groups[key(stream)].push_back(&stream);
    for (const auto& entry : groups)
        if (std::ranges::any_of(entry.second, &CutMetadata::is_kept)) keep(entry.second);
}

}  // namespace

void cut_metadata(std::vector<CutMetadata>& streams, const CutOptions& options) {
    if (streams.empty()) return;
    using One = const CutMetadata&;
    for_each_group(
        streams, [](One stream) { return stream.read->common->loom; }, keep_cpus);
    auto process = [](One stream) { return std::pair(stream.read->common->loom, stream.read->process->pid); };
    for_each_group(streams, process, keep_rank);
    for_each_group(
        streams, [](One stream) { return host_of(*stream.read); }, keep_clock);
    auto trace = [](One) { return 0; };
    for_each_group(streams, trace, keep_marks);
    for_each_group(streams, trace, keep_counters);
    for_each_group(streams, trace, [&](const Group& all) { keep_required(all, options); });
    const bool leaves_threads_out = !std::ranges::all_of(streams, &CutMetadata::is_kept);
    for (CutMetadata& stream : streams) {
        if (!stream.is_kept) continue;
        leave_out(stream, options);
        describe_cut(stream, leaves_threads_out);
        put_in_order(stream);
    }
}

}  // namespace ovni
