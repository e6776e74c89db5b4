// The emulator on many ranks: looms dealt to ranks, records exchanged by time, one trace written by all.
#include <malloc.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "base/log.hpp"
#include "base/progress.hpp"
#include "emu/start.hpp"
#include "emu/task_labels.hpp"
#include "mpi/comm/main.hpp"
#include "mpi/emu/exchange.hpp"
#include "mpi/emu/gather.hpp"
#include "mpi/emu/parallel_columns.hpp"
#include "mpi/emu/parallel_output.hpp"
#include "mpi/emu/partition.hpp"
#include "mpi/emu/read_trace.hpp"
#include "mpi/emu/statistics.hpp"
#include "mpi/emu/window.hpp"
#include "session/end_checks.hpp"
#include "session/facts.hpp"
#include "session/options.hpp"
#include "session/outputs_check.hpp"
#include "session/report.hpp"
#include "sink/cfg.hpp"

namespace ovni {

namespace {

// Records per rank and window: small enough to stay in the cache while they are exchanged. Tests use other
// sizes.
size_t window_size() {
    const char* text = std::getenv("OVNI_TEST_WINDOW");
    return text ? std::strtoul(text, nullptr, 10) : size_t{32} << 10;
}

// Beside the emulation where the ranks of this node leave a core free for each of them. Tests choose it.
Writer::Mode writer_mode(const Comm& comm) {
    int ranks_here = comm.split_by_node().size();
    if (const char* text = std::getenv("OVNI_TEST_WRITER"))
        return text == std::string_view("thread") ? Writer::Mode::own_thread : Writer::Mode::at_once;
    return Writer::best_mode(ranks_here);
}

class Emulation {
 public:
    Emulation(const Comm& comm, const EmulationOptions& options)
        : comm_(comm),
          options_(options),
          places_(find_places(comm, options)),
          clock_sources_(read_clock_sources(comm, options, places_)),
          trace_(read_trace(comm, options, clock_sources_, places_, damages_)),
          system_(comm.agree([&] { return System(trace_); })),
          clocks_(comm.agree([&] { return ClockModel::of_sources(trace_, clock_sources_); })),
          plan_(comm.agree([&] { return make_plan(trace_, system_, options.enabled, options.breakdowns); })) {
    }

    // `statistics`: where to write them, or nothing.
    int run(const std::optional<std::string>& statistics) {
        prepare_output();
        std::vector<int> rank_of_loom = deal_looms(trace_, system_, places_, comm_.size());
        std::vector<bool> mine(rank_of_loom.size());
        std::transform(rank_of_loom.begin(), rank_of_loom.end(), mine.begin(),
                       [&](int rank) { return rank == comm_.rank(); });
        std::vector<StreamReader> readers =
            comm_.agree([&] { return open_streams(mine, Checksums::compared); });
        std::vector<int64_t> first_clocks(trace_.streams().size(), no_clock);
        for (const StreamReader& reader : readers)
            first_clocks[reader.index()] = reader.first_clock().value_or(no_clock);
        first_clocks = comm_.allreduce(Op::min, first_clocks);
        int64_t origin = comm_.agree([&] { return comm_.is_root() ? time_origin(trace_, first_clocks) : 0; });
        origin = comm_.broadcast(origin);

        Emulator emulator(trace_, system_, plan_, options_.strictness, origin, mine);
        bool exact = options_.order == EventOrder::exact;
        Merger merger(std::move(readers), exact ? EventOrder::received : EventOrder::canonical);
        merger.count_ties(loom_of_stream(trace_, system_));
        emulator.fetch_ahead(merger);
        std::optional<TieExchange> ties;
        if (exact)
            ties.emplace(comm_, comm_.agree([&] { return open_streams(mine, Checksums::compared_quietly); }),
                         trace_.streams().size());
        if (options_.report) tallies_.emplace(system_, plan_);
        Window window(comm_, std::move(merger), emulator, window_size(), origin, std::move(ties),
                      tallies_ ? &tallies_->events : nullptr);
        ParallelOutput output(comm_, options_.output, plan_, system_, writer_mode(comm_));
        if (options_.columns) columns_ = std::make_unique<ParallelColumns>(comm_, *options_.columns, plan_);
        RankStatistics cost = replay(emulator, window, output);
        cost.looms = static_cast<uint64_t>(std::ranges::count(mine, true));
        if (comm_.is_root() && !window.error()) print_clocks(clocks_, trace_, origin, window.duration());
        bool good = finish(emulator, window, output, mine);
        cost.bytes_written = output.bytes_written();
        if (statistics) write_cost(cost, *statistics);
        EmulationEnd end = good ? EmulationEnd::complete : EmulationEnd::with_errors;
        return comm_.is_root() ? print_end(end, trace_.streams().size()) : static_cast<int>(!good);
    }

 private:
    RankStatistics replay(Emulator& emulator, Window& window, ParallelOutput& output) {
        Progress progress;
        RankStatistics cost;
        const uint64_t collectives_before = comm_.traffic().collectives;
        Exchange exchange(comm_, plan_.breakdowns.empty() ? Breakdowns::no : Breakdowns::yes);
        Slice made, slice;
        while (window.next(made)) {
            ++cost.windows;
            cost.records_made += made.records.size();
            if (tallies_) tallies_->states.take({made.records.data(), made.records.size()});
            exchange.to_slices(made, slice);
            cost.records_written += slice.records.size();
            output.write(slice, columns_.get());
        }
        cost.collectives_in_windows = comm_.traffic().collectives - collectives_before;
        cost.streams = emulator.machine().threads.size();
        cost.events = emulator.events();
        progress.finish(comm_.allreduce(Op::sum, emulator.events()), 1.0);
        return cost;
    }

    // True where nothing was wrong.
    bool finish(Emulator& emulator, const Window& window, ParallelOutput& output,
                const std::vector<bool>& mine) {
        bool good = report(emulator, window);
        log::info("writing traces to disk, please wait");
        Schema schema = plan_.schema;
        add_labels(schema, plan_, comm_.allreduce(Op::max, window.shown_extras()));
        good &= add_types(schema, emulator, window);
        Ending ending = window.error() ? Ending::partial : Ending::complete;
        output.finish(schema, window.duration(), ending);
        if (columns_ || tallies_)
            content_.gaps = gather(
                comm_, comm_.agree([&] { return gaps_of(trace_, system_, clocks_, window.origin(), mine); }));
        if (columns_) columns_->finish(schema, facts(window), window.duration(), ending);
        if (comm_.is_root() && views_ == Views::written) write_counter_views(options_.output, plan_.counters);
        if (tallies_) write_report(schema, window, ending);
        return good;
    }

    void write_report(const Schema& schema, const Window& window, Ending ending) {
        tallies_->states.finish(window.duration());
        gather(comm_, *tallies_, content_);
        content_.origin = window.origin();
        content_.duration = window.duration();
        content_.error = window.error();
        content_.damages = damages_of(options_, damages_);
        comm_.agree([&] {
            if (!comm_.is_root()) return;
            report_file_->end(report_text({trace_, system_, plan_, clocks_, schema}, content_), ending);
        });
    }

    void write_cost(RankStatistics cost, const std::string& path) {
        cost.collectives = comm_.traffic().collectives;
        cost.messages = comm_.traffic().messages;
        cost.bytes_sent = comm_.traffic().bytes;
        cost.peak_memory = peak_memory();
        write_statistics(comm_, cost, path);
    }

    void prepare_output() {
        comm_.agree([&] {
            if (!comm_.is_root()) return;
            if (options_.storage == Storage::node_local && options_.tolerance == Tolerance::none)
                expect_all_ranks(trace_, system_, clocks_);
            clocks_.check(clocks_.hosts_of(trace_));
            if (options_.tolerance == Tolerance::keep_going) ovni::print(damages_);
            make_output_directory(options_);
            if (options_.report) report_file_.emplace(*options_.report);
            views_ = write_views(options_.output, all_models());
        });
    }

    // Streams of my looms; the first rank of a place has those that are no thread's too, whose events are an
    // error.
    std::vector<StreamReader> open_streams(const std::vector<bool>& mine, Checksums checksums) {
        std::vector<StreamReader> readers;
        for (uint32_t s = 0; s < trace_.streams().size(); ++s) {
            uint32_t thread = system_.thread_of_stream(s);
            bool is_mine = thread == System::no_thread ? places_.first_rank_of(s) == comm_.rank()
                                                       : mine[system_.threads()[thread].loom];
            if (!is_mine || !trace_.streams()[s].is_readable()) continue;
            readers.push_back(open_stream(trace_, clocks_, s, options_.regions, checksums));
        }
        return readers;
    }

    // The reports of all ranks together, printed by rank 0. True where nothing was wrong.
    bool report(Emulator& emulator, const Window& window) {
        if (window.error()) {
            if (comm_.is_root()) log::error("{}", *window.error());
            return false;
        }
        uint64_t ties = comm_.allreduce(Op::sum, window.ties());
        if (comm_.is_root()) print_ties(ties, options_.order);
        EndChecks mine;
        mine.faults = faults_at_end(trace_, emulator, options_.strictness);
        mine.crowded = crowded_cpus(emulator, window.duration());
        mine.oddities = emulator.oddities();
        mine.lost = emulator.lost_events();
        content_.ended = {ties, gather(comm_, mine), {}};
        const EndChecks& all = content_.ended->checks;
        if (comm_.is_root()) print(all, trace_, system_);
        return all.faults.empty();
    }

    Facts facts(const Window& window) const {
        return facts_of(trace_, system_, plan_, clocks_, tool_version(), window.origin(), window.duration(),
                        content_.gaps, damages_of(options_, damages_));
    }

    // The task types of all ranks. True where no two of them clash.
    bool add_types(Schema& schema, Emulator& emulator, const Window& window) {
        std::vector<LabelledType> types = gather(comm_, labelled_types(emulator, window.end()));
        Seen seen = window.error() ? Seen::part : Seen::all;
        std::vector<std::string> faults = add_task_labels(schema, plan_, std::move(types), seen);
        if (comm_.is_root())
            for (const std::string& fault : faults) log::error("{}", fault);
        bool good = faults.empty();
        if (content_.ended) content_.ended->label_faults = std::move(faults);
        return good;
    }

    const Comm& comm_;
    EmulationOptions options_;
    Places places_;
    ClockSources clock_sources_;
    std::vector<Damage> damages_;
    Trace trace_;
    System system_;
    ClockModel clocks_;
    Plan plan_;
    Views views_ = Views::left_alone;  // on rank 0
    std::unique_ptr<ParallelColumns> columns_;
    std::optional<ReportFile> report_file_;  // on rank 0
    std::optional<Tallies> tallies_;
    ReportContent content_;
};

// Every window allocates as much as the one before: what was freed is not given back to the system, which
// would clear the pages anew each time.
void keep_memory() {
    constexpr int from_the_heap = 1 << 30, always = -1;
    ::mallopt(M_MMAP_THRESHOLD, from_the_heap);
    ::mallopt(M_TRIM_THRESHOLD, always);
}

}  // namespace

}  // namespace ovni

int main(int argc, char** argv) {
    ovni::keep_memory();
    ovni::Cli cli = ovni::distributed_cli();
    return ovni::run_mpi_main(cli, argc, argv, [&](ovni::Comm& world) {
        // A limit of file sizes is an error of write() like a full disk, not the end of the process.
        std::signal(SIGXFSZ, SIG_IGN);
        ovni::EmulationOptions options = world.agree([&] { return ovni::read_options(cli); });
        std::optional<std::string> statistics;
        if (cli.has("statistics")) statistics = cli.get<std::string>("statistics");
        std::vector<ovni::Output> further;
        if (statistics) further.push_back({ovni::Output::Kind::file, "--statistics", *statistics});
        world.agree([&] {
            if (world.is_root()) ovni::check_outputs(ovni::as_seen_by_root(options), further);
        });
        return ovni::Emulation(world, options).run(statistics);
    });
}
