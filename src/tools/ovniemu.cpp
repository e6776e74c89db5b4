// The emulator in one process: all looms, one sink.
#include <csignal>
#include <cstdlib>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "emu/sorted_rows.hpp"
#include "emu/start.hpp"
#include "emu/task_labels.hpp"
#include "session/end_checks.hpp"
#include "session/facts.hpp"
#include "session/options.hpp"
#include "session/outputs_check.hpp"
#include "session/report.hpp"
#include "sink/both_sinks.hpp"
#include "sink/cfg.hpp"
#include "sink/columns_sink.hpp"
#include "sink/prv_sink.hpp"
#include "sink/writer.hpp"
#include "trace/merger.hpp"

namespace ovni {

namespace {

volatile std::sig_atomic_t interrupted = 0;

// From now on the first ^C ends the emulation in order, the second at once.
void stop_in_order() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &action, nullptr);
}

// Started by mpirun, every rank would do the same work and write the same files.
void refuse_mpirun() {
    auto number = [](const char* name) {
        const char* text = std::getenv(name);
        return text ? std::atoi(text) : 0;
    };
    bool slurm = std::getenv("SLURM_PROCID") != nullptr && number("SLURM_NTASKS") > 1;
    if (number("OMPI_COMM_WORLD_SIZE") <= 1 && number("PMI_SIZE") <= 1 && !slurm) return;
    int rank = number("OMPI_COMM_WORLD_RANK") + number("PMI_RANK") + number("SLURM_PROCID");
    if (rank == 0) throw UsageError("started as several processes by mpirun or srun: use ovniemu-mpi there");
    std::exit(2);
}

// What the emulator made, on its way to the sink.
class BatchWriter {
 public:
    // `tallies`: of a report, or nullptr.
    BatchWriter(const Plan& plan, const System& system, Sink& sink, Tallies* tallies)
        : writer_(sink, plan.breakdowns.size(), Writer::best_mode()), tallies_(tallies) {
        size_t cpus = system.cpus().size() - system.looms().size();
        for (const BreakdownPlan& breakdown : plan.breakdowns)
            rows_.emplace_back(breakdown.spec().prv_type, cpus);
    }
    // All that is final after the last event.
    void take(Emulator& emulator) { take_before(emulator, emulator.now() - 1); }
    // All there is; the end.
    void take_all(Emulator& emulator) {
        take_before(emulator, RecordQueue::everything);
        writer_.finish();
    }

 private:
    void take_before(Emulator& emulator, int64_t time) {
        Batch& batch = writer_.batch();
        emulator.tracker().queue().take_before(time, batch.records);
        std::vector<BreakdownChange>& changes = emulator.tracker().breakdowns().changes();
        for (size_t b = 0; b < rows_.size(); ++b)
            rows_[b].apply(changes_of(changes, static_cast<uint16_t>(b)), batch.breakdowns[b]);
        changes.clear();
        if (tallies_) tallies_->states.take({batch.records.data(), batch.records.size()});
        writer_.submit();
    }

    Writer writer_;
    Tallies* tallies_;
    std::vector<SortedRows> rows_;
};

// One or both.
class Outputs {
 public:
    Outputs(Sink& prv, Sink* columns) : prv_(prv) {
        if (columns) both_.emplace(prv, *columns);
    }
    Sink& sink() { return both_ ? static_cast<Sink&>(*both_) : prv_; }

 private:
    Sink& prv_;
    std::optional<BothSinks> both_;
};

class Emulation {
 public:
    explicit Emulation(const EmulationOptions& options)
        : options_(options),
          trace_(open_trace(options, damages_)),
          system_(trace_),
          clocks_(ClockModel::of_trace(trace_, options.clock_table)),
          plan_(make_plan(trace_, system_, options.enabled, options.breakdowns)) {
        clocks_.check(clocks_.hosts_of(trace_));
        if (options.tolerance == Tolerance::keep_going) print(damages_);
    }

    int run() {
        make_output_directory(options_);
        if (options_.report) report_file_.emplace(*options_.report), tallies_.emplace(system_, plan_);
        Views views = write_views(options_.output, all_models());
        std::vector<StreamReader> readers = open_streams();
        origin_ = time_origin(trace_, first_clocks_);
        Merger merger(std::move(readers), options_.order);
        merger.count_ties(loom_of_stream(trace_, system_));
        Emulator emulator(trace_, system_, plan_, options_.strictness, origin_, all_looms());
        emulator.fetch_ahead(merger);
        PrvSink prv(options_.output);
        std::unique_ptr<ColumnsSink> columns;
        if (options_.columns) columns = std::make_unique<ColumnsSink>(*options_.columns);
        Outputs outputs{prv, columns.get()};
        Sink& sink = outputs.sink();
        sink.begin(plan_.schema);
        BatchWriter writer(plan_, system_, sink, tallies());
        EmulationEnd end = replay(merger, emulator, writer);
        Ending ending = event_error_                       ? Ending::partial
                        : end == EmulationEnd::interrupted ? Ending::interrupted
                                                           : Ending::complete;
        Schema schema = plan_.schema;
        end = finish(emulator, merger, schema, end);
        log::info("writing traces to disk, please wait");
        writer.take_all(emulator);
        std::vector<GapFact> gaps;
        if (columns || report_file_) gaps = gaps_of(trace_, system_, clocks_, origin_, all_looms());
        if (columns)
            columns->set_facts(facts_of(trace_, system_, plan_, clocks_, tool_version(), origin_,
                                        emulator.now(), gaps, damages_of(options_, damages_)));
        sink.end(schema, emulator.now(), ending);
        if (views == Views::written) write_counter_views(options_.output, plan_.counters);
        if (report_file_) report_file_->end(report(schema, emulator, std::move(gaps)), ending);
        return print_end(end, trace_.streams().size());
    }

 private:
    Tallies* tallies() { return tallies_ ? &*tallies_ : nullptr; }
    std::vector<bool> all_looms() const { return std::vector<bool>(system_.looms().size(), true); }

    std::string report(const Schema& schema, const Emulator& emulator, std::vector<GapFact> gaps) {
        tallies_->events.finish(emulator.now());
        tallies_->states.finish(emulator.now());
        content_.events = tallies_->events.events();
        content_.mpi = tallies_->events.mpi();
        content_.states = tallies_->states.all();
        content_.gaps = std::move(gaps);
        content_.damages = damages_of(options_, damages_);
        content_.warnings = log::kept_warnings();
        content_.origin = origin_;
        content_.duration = emulator.now();
        return report_text({trace_, system_, plan_, clocks_, schema}, content_);
    }

    std::vector<StreamReader> open_streams() {
        std::vector<StreamReader> readers;
        for (uint32_t s = 0; s < trace_.streams().size(); ++s) {
            first_clocks_.push_back(no_clock);
            if (!trace_.streams()[s].is_readable()) continue;
            readers.push_back(open_stream(trace_, clocks_, s, options_.regions));
            first_clocks_.back() = readers.back().first_clock().value_or(no_clock);
        }
        return readers;
    }

    EmulationEnd replay(Merger& merger, Emulator& emulator, BatchWriter& writer) {
        Progress progress;
        const auto size = static_cast<double>(merger.size());
        auto done = [&] { return size == 0 ? 1.0 : static_cast<double>(merger.consumed()) / size; };
        std::optional<EmulationEnd> end;
        while (!(end = emulate(merger, emulator))) {
            writer.take(emulator);
            progress.update(emulator.events(), done());
        }
        progress.finish(emulator.events(), done());
        return *end;
    }

    // Until there is enough for the writer: nothing, or until the end.
    std::optional<EmulationEnd> emulate(Merger& merger, Emulator& emulator) {
        constexpr uint64_t events_between_looks = 128;
        try {
            for (uint64_t count = 1; const EventView* event = merger.next(); ++count) {
                emulator.apply(*event);
                if (tallies_) tallies_->events.count({*event, emulator.now()});
                if (count % events_between_looks != 0) continue;
                if (interrupted) {
                    content_.error = "interrupted";
                    return EmulationEnd::interrupted;
                }
                if (emulator.tracker().queue().size() >= batch) return std::nullopt;
            }
            return EmulationEnd::complete;
        } catch (const Error& e) {
            log::error("{}", e.what());
            event_error_ = true;
            content_.error = e.what();
            return EmulationEnd::with_errors;
        }
    }

    // Is anything wrong at the end? An interrupted emulation is not expected to have seen the end of every
    // thread. Adds what is known now to the schema.
    EmulationEnd finish(Emulator& emulator, const Merger& merger, Schema& schema, EmulationEnd end) {
        const Seen seen = end == EmulationEnd::complete ? Seen::all : Seen::part;
        if (seen == Seen::all) {
            print_clocks(clocks_, trace_, origin_, emulator.now());
            print_ties(merger.ties(), options_.order);
        }
        add_labels(schema, plan_, emulator.tracker().extras().until(end_of_trace));
        std::vector<std::string> faults =
            add_task_labels(schema, plan_, labelled_types(emulator, end_of_trace), seen);
        for (const std::string& fault : faults) log::error("{}", fault);
        if (!faults.empty()) end = EmulationEnd::with_errors;
        if (event_error_) return end;
        EndChecks checks;
        if (seen == Seen::all) checks.faults = faults_at_end(trace_, emulator, options_.strictness);
        checks.crowded = crowded_cpus(emulator, emulator.now());
        checks.oddities = emulator.oddities();
        checks.lost = emulator.lost_events();
        print(checks, trace_, system_);
        if (!checks.faults.empty()) end = EmulationEnd::with_errors;
        content_.ended = {merger.ties(), std::move(checks), std::move(faults)};
        return end;
    }

    static constexpr size_t batch = size_t{8} << 10;  // records handed to the sink at a time

    EmulationOptions options_;
    std::vector<Damage> damages_;
    Trace trace_;
    System system_;
    ClockModel clocks_;
    Plan plan_;
    std::vector<int64_t> first_clocks_;
    int64_t origin_ = 0;
    bool event_error_ = false;
    std::optional<ReportFile> report_file_;
    std::optional<Tallies> tallies_;
    ReportContent content_;
};

}  // namespace

}  // namespace ovni

int main(int argc, char** argv) {
    return ovni::run_main("ovniemu", [&] {
        ovni::refuse_mpirun();
        ovni::Cli cli = ovni::emulation_cli();
        if (ovni::parse(cli, argc, argv) == ovni::Parsed::help_printed) return 0;
        // A limit of file sizes is an error of write() like a full disk, not the end of the process.
        std::signal(SIGXFSZ, SIG_IGN);
        ovni::EmulationOptions options = ovni::read_options(cli);
        ovni::check_outputs(options);
        ovni::Emulation emulation(options);
        ovni::stop_in_order();
        return emulation.run();
    });
}
