#include "tests/bench/trace_generator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/bench/message_script.hpp"

namespace ovni::bench {

namespace {

struct Place {
    uint32_t loom, process, thread;  // each counted in the one before
};

uint64_t process_index(const TraceShape& shape, const Place& at) {
    return uint64_t{at.loom} * shape.processes + at.process;
}

uint64_t stream_index(const TraceShape& shape, const Place& at) {
    return process_index(shape, at) * shape.threads + at.thread;
}

std::string cpu_list(const TraceShape& shape) {
    std::string text;
    for (uint32_t cpu = 0; cpu < shape.processes * shape.threads; ++cpu)
        text += fmt::format(R"({}{{"index": {}, "phyid": {}}})", cpu == 0 ? "" : ", ", cpu, cpu);
    return text;
}

std::string requirements(const TraceShape& shape) {
    std::string text = R"("ovni": "1.1.0")";
    if (shape.mix == Mix::messages) return text + R"(, "mpi": "1.1.0")";
    for (const Activity* activity : shape.activities)
        if (activity->model != "ovni")
            text += fmt::format(R"(, "{}": "{}")", activity->model, activity->version);
    return text;
}

std::string marks_metadata() {
    std::string labels;
    for (int64_t value = 1; value <= mark_values; ++value)
        labels += fmt::format(R"({}"{}": "phase {}")", value == 1 ? "" : ", ", value, value);
    return fmt::format(R"("mark": {{"{}": {{"title": "phase", "chan_type": "stack", "labels": {{{}}}}}}}, )",
                       mark_type, labels);
}

std::string metadata(const TraceShape& shape, const Place& at, const std::string& loom) {
    uint64_t process = process_index(shape, at);
    std::string text = fmt::format(
        R"({{"version": 3, "ovni": {{"lib": {{"version": "1.14.0", "commit": "bench"}}, "part": "thread", )"
        R"("tid": {}, "pid": {}, "loom": "{}", "app_id": 1, "require": {{{}}}, )",
        stream_index(shape, at) + 1, process + 1, loom, requirements(shape));
    // Messages are looked for in streams of our library, which names the run.
    if (shape.mix == Mix::messages)
        text += R"("run": "bench", )";
    else if (std::ranges::find(shape.activities, "ovni", &Activity::model) != shape.activities.end())
        text += marks_metadata();
    if (at.thread == 0) {
        if (shape.ranks == Ranks::one_per_process)
            text += fmt::format(R"("rank": {}, "nranks": {}, )", process, shape.looms * shape.processes);
        // Once per process, as runtimes do.
        text += fmt::format(R"("loom_cpus": [{}], )", cpu_list(shape));
    }
    return text + R"("finished": 1}})";
}

// The events of a loom, in terms of `of_mean`, which the looms have on average.
struct Share {
    uint64_t part, of_mean;
};

Share share_of(const TraceShape& shape, uint32_t loom) {
    if (shape.sizes == Looms::equal) return {1, 1};
    return {2 * uint64_t{loom} + 2, uint64_t{shape.looms} + 1};
}

uint32_t gap_of(const TraceShape& shape, uint32_t loom) {
    const auto [part, of_mean] = share_of(shape, loom);
    return static_cast<uint32_t>(std::max<uint64_t>(shape.gap * of_mean / part, 2));
}

ThreadPlan plan_of(const TraceShape& shape, const Place& at) {
    ThreadPlan plan;
    plan.mix = shape.mix;
    plan.activities = shape.activities;
    plan.cpu = shape.cpus == Cpus::own ? static_cast<int32_t>(at.process * shape.threads + at.thread) : -1;
    plan.thread = at.thread;
    plan.threads = shape.threads;
    plan.seed = Random(shape.seed).next() + stream_index(shape, at);
    plan.gap = gap_of(shape, at.loom);
    plan.idle = shape.idle;
    return plan;
}

MessagePlan messages_of(const TraceShape& shape, const Place& at) {
    MessagePlan plan;
    plan.rank = static_cast<int32_t>(process_index(shape, at));
    plan.ranks = static_cast<int32_t>(shape.looms * shape.processes);
    plan.pending = shape.pending;
    plan.cpu = static_cast<int32_t>(at.process);
    plan.gap = shape.gap;
    return plan;
}

// The first streams have one event more where the events do not divide evenly.
uint64_t events_of(const TraceShape& shape, uint32_t loom, uint64_t stream) {
    const auto [part, of_mean] = share_of(shape, loom);
    return (shape.events / shape.streams() + (stream < shape.events % shape.streams() ? 1 : 0)) * part /
           of_mean;
}

void check(const TraceShape& shape) {
    if (shape.streams() == 0) throw Error("a trace needs looms, processes and threads");
    if (shape.gap < 2) throw Error("the gap must be 2 ns at least");
    if (shape.mix == Mix::messages) {
        if (shape.idle != 0) throw Error("messages have no idle events between them");
        if (shape.sizes != Looms::equal) throw Error("ranks send equally many messages: no --growing");
        if (shape.cpus != Cpus::own) throw Error("ranks of messages have CPUs: no --unbound");
        if (shape.threads != 1 || shape.ranks == Ranks::none)
            throw Error("messages are those of ranks of one thread: --ranked --threads 1");
        return;
    }
    const uint32_t least_gap = gap_of(shape, shape.looms - 1);  // none has more events than the last loom
    if (shape.idle % 2 != 0 || shape.idle >= least_gap / 2)
        throw Error(fmt::format("the number of idle events must be even and below {}, half of the least gap",
                                least_gap / 2));
    if (shape.activities.empty()) throw Error("no models");
    bool tasks = std::ranges::any_of(shape.activities, [](const Activity* a) { return a->tasks != nullptr; });
    if (shape.mix == Mix::tasks && !tasks) throw Error("none of the models has tasks here");
    uint64_t least = ThreadScript::least_events(plan_of(shape, {0, 0, 0}));
    if (events_of(shape, 0, shape.streams() - 1) < least)
        throw Error(fmt::format("every stream needs {} events at least", least));
}

}  // namespace

void generate(const TraceShape& shape, const std::filesystem::path& directory) {
    check(shape);
    for (uint64_t stream = 0; stream < shape.streams(); ++stream) {
        uint64_t process = stream / shape.threads;
        Place at{static_cast<uint32_t>(process / shape.processes),
                 static_cast<uint32_t>(process % shape.processes),
                 static_cast<uint32_t>(stream % shape.threads)};
        std::string loom = fmt::format("node{:04}.bench", at.loom);
        auto place = directory / fmt::format("loom.{}/proc.{}/thread.{}", loom, process + 1, stream + 1);
        std::filesystem::create_directories(place);
        write_file(place / "stream.json", metadata(shape, at, loom));
        StreamFile file(place / "stream.obs");
        if (shape.mix == Mix::messages)
            MessageScript(messages_of(shape, at), file).write(shape.events / shape.streams());
        else
            ThreadScript(plan_of(shape, at), file).write(events_of(shape, at.loom, stream));
        file.commit();
        if (shape.crc == StreamCrc::written) file.commit_checksums();
    }
}

}  // namespace ovni::bench
