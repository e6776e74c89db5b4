#include "tests/support/random/metadata.hpp"

#include "core/semver.hpp"
#include "tests/support/random/tables.hpp"

namespace ovni::test::random_trace {

namespace {

constexpr int usual_mark = 5, punctual_mark = 98;

// The first thread of the trace requires all models, as new as they may be; any other some of them, and uses
// the others all the same: models are enabled for the whole trace.
std::vector<std::pair<std::string, std::string>> requirements(World& world, bool first) {
    std::vector<std::pair<std::string, std::string>> models;
    for (const auto& [id, table] : model_tables()) {
        if (id != 'O' && world.what.models.find(id) == std::string::npos) continue;
        if (first || world.dice.percent(10)) {
            models.emplace_back(table.name, table.version);
        } else if (id == 'O' || world.dice.percent(60)) {
            Version newest = parse_version(table.version).value();
            models.emplace_back(table.name, std::to_string(newest.major) + "." +
                                                std::to_string(world.dice.below(newest.minor + 1)) + "." +
                                                std::to_string(world.dice.below(9)));
        }
    }
    return models;
}

// Every CPU is named by at least one thread.
std::vector<std::pair<int, int>> known_cpus(const Thread& thread) {
    int threads = thread.world.what.processes * thread.world.what.threads;
    std::vector<std::pair<int, int>> known;
    for (auto cpu : thread.loom.cpus)
        if (cpu.first % threads == thread.number || thread.world.dice.percent(50)) known.push_back(cpu);
    return known;
}

void define_marks(const Thread& thread, bool first) {
    Dice& dice = thread.world.dice;
    std::vector<const MarkType*> types;
    for (const MarkType& mark : thread.world.marks)
        if (first || mark.type == punctual_mark || dice.percent(40)) types.push_back(&mark);
    dice.shuffle(types);
    for (const MarkType* mark : types) {
        std::vector<std::pair<int64_t, std::string>> labels;
        for (const auto& label : mark->labels)
            if (dice.percent(70)) labels.push_back(label);
        thread.stream->mark(mark->type, mark->stack ? "stack" : "single", mark->title, labels);
        if (mark->type == punctual_mark) thread.stream->set("ovni.mark.98.punctual", true);
    }
}

void describe_nosv(const Thread& thread, bool first) {
    const RandomTrace& what = thread.world.what;
    Dice& dice = thread.world.dice;
    if (what.can_breakdown != CanBreakdown::missing) {
        bool can = what.can_breakdown == CanBreakdown::all || (!first && dice.percent(50));
        thread.stream->set("nosv.can_breakdown", can);
    }
    if (first || dice.percent(60))
        for (int i = 0; i < what.counters; ++i)
            thread.stream->set("nosv.hwc." + std::to_string(i),
                               Json{{"name", "COUNTER_" + std::to_string(i)}});
    else if (dice.percent(50))
        thread.stream->set("nosv.hwc", Json::object());
}

}  // namespace

void make_marks(World& world) {
    constexpr int first_of_others = 10;
    std::vector<int> types = {0};
    for (int type = first_of_others; type < punctual_mark; ++type) types.push_back(type);
    world.dice.shuffle(types);
    types.insert(types.begin(), usual_mark);
    types.resize(std::min(types.size(), static_cast<size_t>(world.what.marks)));
    if (world.what.punctual) types.push_back(punctual_mark);
    for (size_t i = 0; i < types.size(); ++i) {
        bool stack = types[i] != punctual_mark && i % 2 == 0;
        MarkType mark = {types[i], stack, "mark " + std::to_string(types[i]), {}};
        // A value of more than 32 bits; the lower ones are of no other label.
        for (int64_t value : {int64_t{1}, int64_t{2}, int64_t{-3}, (int64_t{1} << 33) + 9})
            if (world.dice.percent(70)) mark.labels.emplace_back(value, "value " + std::to_string(value));
        world.marks.push_back(mark);
    }
}

void add_stream(Thread& thread, TraceBuilder& trace) {
    World& world = thread.world;
    Process& process = thread.process;
    bool first = &thread == &world.threads.front(), first_of_process = &thread == process.threads.front();
    Identity identity = {.loom = thread.loom.name,
                         .pid = process.pid,
                         .tid = thread.tid,
                         .app_id = process.app_id,
                         .nranks = world.what.looms * world.what.processes,
                         .cpus = known_cpus(thread),
                         .require = requirements(world, first)};
    if (first_of_process || world.dice.percent(50)) identity.rank = process.rank;
    thread.stream = &trace.thread(identity);
    if (!first_of_process && world.dice.percent(30)) thread.stream->unset("ovni.app_id");
    define_marks(thread, first);
    if (world.what.models.find('V') != std::string::npos) describe_nosv(thread, first);
}

}  // namespace ovni::test::random_trace
