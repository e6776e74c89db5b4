#include "run/control_targets.hpp"

#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "core/parse_number.hpp"
#include "ring/session.hpp"

namespace ovni::run {

namespace fs = std::filesystem;

namespace {

void add_sockets_in(const fs::path& directory, std::vector<Target>& found) {
    std::error_code fault;
    for (const auto& entry : fs::directory_iterator(directory, fault))
        if (auto name = region::parse_socket_name(entry.path().filename().string()))
            found.push_back({entry.path(), std::move(name)});
}

// One may be that of OVNI_RUNDIR, or what is in there.
bool add_place(const fs::path& place, std::vector<Target>& found) {
    std::error_code fault;
    if (fs::is_directory(place, fault)) {
        add_sockets_in(place, found);
        add_sockets_in(place / fmt::format("ovni-{}", ::geteuid()), found);
        return true;
    }
    if (!fs::is_socket(place, fault)) return false;
    found.push_back({place, region::parse_socket_name(place.filename().string()), true});
    return true;
}

void add_pattern(const std::string& pattern, std::vector<Target>& found) {
    glob_t matches{};
    bool is_any = false;
    if (::glob(pattern.c_str(), 0, nullptr, &matches) == 0)
        for (size_t i = 0; i < matches.gl_pathc; ++i)
            is_any = add_place(matches.gl_pathv[i], found) || is_any;
    ::globfree(&matches);
    if (is_any || pattern.find_first_of("*?[") != pattern.npos) return;
    throw UsageError(
        fmt::format("'{}' is no command, and no socket or directory either (see --help)", pattern));
}

auto order_of(const Target& target) {
    const auto& name = target.name;
    auto number = [](const std::string& text) { return parse_number<uint64_t>(text).value_or(0); };
    return std::tuple(name ? name->job : "", name ? number(name->rank) : 0, name ? number(name->pid) : 0,
                      target.path);
}

bool is_wanted(const Target& target, const Wanted& wanted) {
    if (wanted.is_any()) return true;
    return target.name && is_in_list(wanted.ranks, target.name->rank, "--rank") &&
           is_in_list(wanted.pids, target.name->pid, "--pid") &&
           (wanted.job.empty() || region::socket_word(wanted.job) == target.name->job);
}

}  // namespace

std::string Target::who() const {
    return name ? "rank " + name->rank : path.string();
}

bool is_in_list(std::string_view list, std::string_view number, std::string_view option) {
    if (list.empty()) return true;
    auto wanted = parse_number<uint64_t>(number);
    bool is_found = false;
    for (std::string_view rest = list; !rest.empty();) {
        std::string_view part = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        size_t dash = part.find('-');
        auto first = parse_number<uint64_t>(part.substr(0, dash));
        auto last = dash == part.npos ? first : parse_number<uint64_t>(part.substr(dash + 1));
        if (!first || !last || *first > *last || list.back() == ',')
            throw UsageError(fmt::format("{} is a list of numbers as 0,4-7, not '{}'", option, list));
        is_found = is_found || (wanted && *first <= *wanted && *wanted <= *last);
    }
    return is_found;
}

std::vector<Target> find_targets(const Wanted& wanted) {
    is_in_list(wanted.ranks, "", "--rank");
    is_in_list(wanted.pids, "", "--pid");
    std::vector<Target> found;
    for (const std::string& place : wanted.places) add_pattern(place, found);
    if (wanted.places.empty())
        for (uint32_t choice = 0; choice < writer::session_places; ++choice)
            if (std::string place = writer::session_place(choice, ""); !place.empty())
                add_sockets_in(place, found);
    std::erase_if(found, [&](const Target& target) { return !is_wanted(target, wanted); });
    std::ranges::sort(found, {}, order_of);
    auto is_same = [](const Target& one, const Target& other) { return one.path == other.path; };
    found.erase(std::unique(found.begin(), found.end(), is_same), found.end());
    return found;
}

}  // namespace ovni::run
