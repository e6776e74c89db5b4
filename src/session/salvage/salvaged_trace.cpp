#include "session/salvage/salvaged_trace.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/log.hpp"
#include "emu/plan/system.hpp"
#include "session/salvage/majority.hpp"

namespace ovni {

namespace {

// The fault of all these streams together; nothing if they agree.
std::optional<Error> contradiction(const std::filesystem::path& directory, const std::vector<Stream>& streams,
                                   EnabledModels enabled) {
    log::Silence silence;
    try {
        Trace trace(directory, streams);
        System system(trace);
        make_plan(trace, system, enabled, Breakdowns::no);
    } catch (const Error& e) {
        return e;
    }
    return std::nullopt;
}

std::string_view loom_directory(std::string_view relative_path) {
    return relative_path.substr(0, relative_path.find('/'));
}

// Leaves out streams that ran on CPUs of which nothing is known: metadata of others in the loom is lost.
void leave_out_unknown_cpus(std::vector<Stream>& streams, std::vector<Damage>& damages) {
    constexpr int virtual_cpu = -1;
    std::map<std::string, std::set<int>, std::less<>> known;  // of looms that have lost a stream
    for (const Damage& damage : damages)
        if (!damage.end)
            known.try_emplace(std::string(loom_directory(damage.relative_path)), std::set{virtual_cpu});
    for (const Stream& stream : streams)
        if (auto loom = known.find(loom_directory(stream.relative_path())); loom != known.end())
            for (CpuId cpu : stream.metadata.common->cpus) loom->second.insert(cpu.index);
    std::erase_if(streams, [&](const Stream& stream) {
        auto loom = known.find(loom_directory(stream.relative_path()));
        if (loom == known.end() || std::ranges::includes(loom->second, *stream.cpus)) return false;
        replace(damages,
                {stream.relative_path(), "it ran on a CPU that only a left-out stream describes", {}});
        return true;
    });
}

}  // namespace

Trace salvaged_trace(const std::filesystem::path& directory, std::vector<Stream> streams,
                     EnabledModels enabled, std::vector<Damage>& damages) {
    if (contradiction(directory, streams, enabled)) leave_out_minorities(streams, damages);
    while (std::optional<Error> error = contradiction(directory, streams, enabled))
        leave_out(streams, directory, *error, damages);
    leave_out_unknown_cpus(streams, damages);
    std::ranges::sort(damages, {}, &Damage::relative_path);
    // A trace without streams warns that nothing was recorded. Here the damages report what was recorded, and
    // why it is left out.
    std::optional<log::Silence> silence;
    if (streams.empty() && !damages.empty()) silence.emplace();
    return Trace(directory, std::move(streams));
}

}  // namespace ovni
