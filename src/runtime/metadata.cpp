#include "runtime/metadata.hpp"

#include <cstring>

#include "ovni.h"
#include "ring/process_life.hpp"
#include "runtime/version.hpp"

namespace ovni::writer {
namespace {

// The first name of a path; `path` moves on to the rest, null if there is none.
std::string next_name(const char*& path) {
    const char* dot = strchr(path, '.');
    std::string name = dot ? std::string(path, dot) : std::string(path);
    path = dot ? dot + 1 : nullptr;
    return name;
}

}  // namespace

Metadata::Metadata(pid_t tid) {
    root_["version"] = OVNI_METADATA_VERSION;
    Json& ovni = own();
    ovni["lib"] = {{"version", library_version}, {"commit", library_commit}};
    ovni["part"] = "thread";
    ovni["tid"] = tid;
    ovni["pid"] = 0;
    ovni["loom"] = "";
    ovni["app_id"] = 0;
}

// A program may have put anything in place of the library's object.
Json& Metadata::own() {
    ++changes_;
    Json& ovni = root_["ovni"];
    if (!ovni.is_object()) ovni = Json::object();
    return ovni;
}

// Numbers that are equal may have other types, or signs.
static bool is_same(const Json& one, const Json& other) {
    return one.type() == other.type() &&
           json_text(one, JsonStyle::compact) == json_text(other, JsonStyle::compact);
}

bool Metadata::set(const char* path, Json value) {
    Json* at = &root_;
    do {
        if (at->is_null()) *at = Json::object();
        if (!at->is_object()) return false;
        at = &(*at)[next_name(path)];
    } while (path);
    if (!value.is_null() && is_same(*at, value)) return true;
    *at = std::move(value);
    ++changes_;
    return true;
}

const Json* Metadata::find(const char* path) const {
    const Json* at = &root_;
    do {
        if (!at->is_object()) return nullptr;
        auto member = at->find(next_name(path));
        if (member == at->end()) return nullptr;
        at = &*member;
    } while (path);
    return at;
}

void Metadata::set_process(const Facts& facts) {
    Json& ovni = own();
    ovni["pid"] = facts.pid;
    ovni["loom"] = facts.loom;
    ovni["app_id"] = facts.app;
    if (facts.parent != 0) ovni["parent"] = facts.parent;
    // Tells processes of one number apart.
    if (uint64_t space = own_process_id().space; space != 0 && space != first_pid_space)
        ovni["pid_space"] = space;
    // Tells clocks of one machine apart: those of processes in other time namespaces.
    if (facts.time_offset != 0) ovni["time_offset"] = facts.time_offset;
}

void Metadata::set_run(const Facts& facts) {
    if (facts.run.empty()) return;
    own()["run"] = facts.run;
    if (facts.began > 0) own()["began"] = facts.began;
    if (!facts.command.empty()) own()["command"] = facts.command;
}

void Metadata::set_rank(int rank, int nranks) {
    ++changes_;
    rank_ = rank;
    nranks_ = nranks;
    has_rank_ = true;
}

void Metadata::add_cpu(Cpu cpu) {
    ++changes_;
    cpus_.push_back(cpu);
}

void Metadata::set_lost(uint64_t events) {
    if (events > 0) own()["lost"] = events;
}

void Metadata::add_clock_point(const char* reference, const ovni_private_clock_point& point) {
    Json& clock = own()["clock"];
    if (!clock.is_object()) clock = Json::object();
    clock["reference"] = reference;
    Json& points = clock["points"];
    if (!points.is_array()) points = Json::array();
    points.push_back({{"local", point.local},
                      {"offset", point.offset},
                      {"low", point.low},
                      {"high", point.high},
                      {"round_trip", point.round_trip},
                      {"samples", point.samples},
                      {"method", point.method}});
}

void Metadata::add_place_of_process(const Facts& facts) {
    Json& ovni = own();
    if (!facts.host.empty()) ovni["host"] = facts.host;
    if (has_rank_ || facts.rank >= 0) {
        ovni["rank"] = has_rank_ ? rank_ : facts.rank;
        ovni["nranks"] = has_rank_ ? nranks_ : facts.nranks;
    }
    const std::vector<Cpu>& cpus = cpus_.empty() ? facts.identity_cpus : cpus_;
    if (!cpus.empty()) {
        Json list = Json::array();
        for (Cpu cpu : cpus) list.push_back({{"index", cpu.index}, {"phyid", cpu.phyid}});
        ovni["loom_cpus"] = std::move(list);
    }
}

void Metadata::finish(const Facts& facts, const StreamEnd* end, uint64_t last_clock) {
    add_place_of_process(facts);
    Json& ovni = own();
    if (end) ovni["end"] = {{"by", end->by}, {"code", end->code}, {"clock", last_clock}};
    ovni["finished"] = 1;
}

void Metadata::inherit(const Metadata& parent) {
    for (const char* member : {"ovni.require", "ovni.mark"})
        if (const Json* known = parent.find(member)) set(member, *known);
}

bool Metadata::has_equal_thread_metadata(const Metadata& other) const {
    auto of_thread = [](const Metadata& metadata) {
        Json all = metadata.root_;
        if (Json& ovni = all["ovni"]; ovni.is_object())
            for (const char* member :
                 {"tid", "pid", "pid_space", "parent", "loom", "app_id", "run", "began", "command"})
                ovni.erase(member);
        return all;
    };
    return of_thread(*this) == of_thread(other);
}

void Metadata::reopen() {
    Json& ovni = own();
    for (const char* member : {"end", "finished", "goes_on", "rank", "nranks", "loom_cpus"})
        ovni.erase(member);
}

}  // namespace ovni::writer
