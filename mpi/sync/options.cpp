#include "mpi/sync/options.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.hpp"
#include "base/typed_options.hpp"
#include "mpi/sync/samples_file.hpp"

namespace ovni::sync {

namespace {

int exchanges(const std::string& value) {
    constexpr int most = 100'000'000;
    return number_of("-n", value, 1, most);
}

int tables(const std::string& value) {
    return number_of("-d", value, 1);
}

int pause(const std::string& value) {
    return number_of("-w", value, 0);
}

constexpr TypedOption<Options> rows[] = {
    {{"outfile", "o", "FILE", "",
      R"(File for the table; clocks.json goes to its directory. Default: clock-offsets.txt, with -d
     clock-drift.txt, in OVNI_TRACEDIR or ovni.)"},
     store<&Options::outfile>},
    {{"exchanges", "n", "N", "", "Exchanges per node, at most; fewer if more would not help.", "1000"},
     store_parsed<&Options::samples, exchanges>},
    {{"tables", "d", "TABLES", "",
      "Number of measurements. If there are several, the table shows how the offsets drift, one row for "
      "each.",
      "1"},
     store_parsed<&Options::tables, tables>},
    {{"pause", "w", "SECONDS", "", "Pause after each row.", "5"}, store_parsed<&Options::pause_s, pause>},
    {{"samples", "", "FILE.h5", "", "Write the time stamps of all exchanges as HDF5, too."},
     store<&Options::samples_file>},
    {{"verbose", "v", "", "", "Print every exchange."}, choose<&Options::verbose, true>},
};

constexpr const char* about_summary = R"(The summary shows for each node, in ns:

- `offset`: to be added to the clock of the node
- `at least`, `at most`: the offset certainly lies between them
- `bound`: half of the distance between these
- `round trip`: the smallest one
- `min-RTT`: how far the exchange with that round trip alone is from the offset
- `samples`: the number of exchanges
- `rate ppb`: with -d: how fast the offset changes
- `method`: envelope: the middle between the fastest messages of each direction; theil-sen: a line, whose slope is the
  median of the slopes between any two measurements
)";

bool are_same(const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code fault;
    auto absolute = [&](const std::filesystem::path& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, fault), fault);
    };
    return absolute(a) == absolute(b);
}

// A table of drift is for people: the emulator must not take it for one of offsets.
std::string default_outfile(int tables) {
    const char* dir = std::getenv("OVNI_TRACEDIR");
    return std::filesystem::path(dir && *dir ? dir : "ovni") /
           (tables > 1 ? "clock-drift.txt" : "clock-offsets.txt");
}

}  // namespace

std::filesystem::path Options::clock_file() const {
    return std::filesystem::path(outfile).replace_filename("clocks.json");
}

// Bursts of about equal length.
Effort Options::effort() const {
    constexpr int usual = Effort{}.exchanges;
    constexpr int64_t patience_ns = 60'000'000'000;
    int bursts = (samples + usual - 1) / usual;
    return {(samples + bursts - 1) / bursts, bursts, patience_ns};
}

namespace {

// Throws UsageError. Fills in defaults.
void check(const Cli& cli, Options& options) {
    if (!cli.words.empty()) throw UsageError("unexpected word '" + cli.words.front() + "' (see --help)");
    if (options.outfile.empty()) options.outfile = default_outfile(options.tables);
    if (are_same(options.clock_file(), options.outfile))
        throw UsageError("clocks.json is written anyway, -o is for the table");
    if (!options.samples_file.empty()) {
        if (!can_write_samples()) throw UsageError("--samples: this ovnisync was built without HDF5");
        if (are_same(options.samples_file, options.outfile) ||
            are_same(options.samples_file, options.clock_file()))
            throw UsageError("--samples and -o name the same file");
    }
}

}  // namespace

Cli sync_cli() {
    Cli cli;
    cli.manual = {
        .program = "ovnisync",
        .summary = "measure how the clocks of the nodes differ",
        .usage = "mpirun -n N ovnisync [OPTIONS]",
        .words = "",
        .description =
            R"(Measures the offset of every node's clock against the clock of rank 0. One rank per node is
enough; if there are more, one of each node is chosen. Writes a table, and next to it clocks.json, which the emulators
read. It holds the offset of each node, the interval in which the offset certainly lies, and with -d how it changes with
time.)",
        .options = {},
        .lists = about_summary,
        .topics = {},
    };
    append_rows(cli.manual.options, rows);
    return cli;
}

Options read_options(const Cli& cli) {
    Options options;
    take_options(rows, cli, options);
    check(cli, options);
    return options;
}

}  // namespace ovni::sync
