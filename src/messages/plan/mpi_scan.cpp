#include "messages/plan/mpi_scan.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "messages/calls/mpi_functions.hpp"
#include "messages/calls/process_communicators.hpp"
#include "model/mpi_event.hpp"
#include "ovni/format.h"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

// The streams of one process at a time.
class Scanner {
 public:
    Scanner(const System& system, MpiScan& scan) : facts_(facts_of_processes(system)), scan_(scan) {}

    void read(StreamReader reader, uint32_t thread);
    void finish(uint32_t process);

 private:
    void take(const EventView& event, uint32_t thread);
    void enter(const EventView& event, const MpiEvent& mpi, uint32_t thread);

    std::vector<ProcessFacts> facts_;
    MpiScan& scan_;
    ProcessCommunicators communicators_;
    std::map<uint32_t, CommunicatorUse> uses_;  // by number
};

// Emulation tells of damage.
void Scanner::read(StreamReader reader, uint32_t thread) {
    try {
        while (reader.next()) {
            const EventView& event = reader.event();
            scan_.last_clock = std::max(scan_.last_clock, event.clock);
            if (event.kind == EventView::Kind::event && event.code.model() == 'M' &&
                thread != System::no_thread)
                take(event, thread);
        }
    } catch (const Error&) {
        return;
    }
}

void Scanner::take(const EventView& event, uint32_t thread) {
    if (event.jumbo()) {
        std::span<const uint8_t> data = event.payload().subspan(OVNI_FORMAT_JUMBO_SIZE);
        if (event.code == OVNI_MPI_COMMUNICATOR) communicators_.define(data);
        return;
    }
    const MpiEvent mpi(event.code, event.payload());
    if (mpi.step() == MpiStep::enter && mpi.function()) enter(event, mpi, thread);
}

void Scanner::enter(const EventView& event, const MpiEvent& mpi, uint32_t thread) {
    if (is_init(*mpi.function())) scan_.init[thread] = std::min(scan_.init[thread], event.clock);
    if (mpi.function()->record != MpiRecord::Collective) return;
    const uint32_t number = mpi.number(MpiField::object).value_or(OVNI_MPI_NO_OBJECT);
    if (number == OVNI_MPI_NO_OBJECT || number == OVNI_MPI_WORLD) return;
    CommunicatorUse use;
    use.clock = event.clock;
    use.offset = event.offset;
    use.stream = event.stream;
    use.number = number;
    auto earlier = [](const CommunicatorUse& a, const CommunicatorUse& b) {
        return std::tie(a.clock, a.stream) < std::tie(b.clock, b.stream);
    };
    auto [known, is_new] = uses_.try_emplace(number, use);
    if (!is_new && earlier(use, known->second)) known->second = use;
}

void Scanner::finish(uint32_t process) {
    for (auto& [number, use] : uses_) {
        use.process = process;
        const CommunicatorFacts* known = communicators_.find(number);
        if (number == OVNI_MPI_SELF)
            use.id = OVNI_MPI_SELF;
        else if (known && (known->flags & OVNI_MPI_BY_USE) == 0) {
            use.id = known->id;
            use.flags = known->flags;
            use.rank = known->rank;
        }
        if (use.id != 0) scan_.uses.push_back(use);
    }
    add_member_lists(communicators_, facts_[process], scan_.lists);
    communicators_ = {};
    uses_.clear();
}

}  // namespace

MpiScan scan_mpi(const System& system, std::vector<uint32_t> streams, const OpenStream& open) {
    MpiScan scan;
    scan.init.assign(system.threads().size(), MpiScan::never);
    Scanner scanner(system, scan);
    std::ranges::sort(streams, {}, [&](uint32_t s) { return system.thread_of_stream(s); });
    for (size_t i = 0; i < streams.size(); ++i) {
        const uint32_t thread = system.thread_of_stream(streams[i]);
        scanner.read(open(streams[i]), thread);
        if (thread == System::no_thread) continue;
        const uint32_t process = system.threads()[thread].process;
        const uint32_t next =
            i + 1 < streams.size() ? system.thread_of_stream(streams[i + 1]) : System::no_thread;
        if (next == System::no_thread || system.threads()[next].process != process) scanner.finish(process);
    }
    return scan;
}

}  // namespace ovni
