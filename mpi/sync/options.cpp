#include "mpi/sync/options.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.hpp"
#include "mpi/sync/samples_file.hpp"

namespace ovni::sync {

namespace {

namespace po = boost::program_options;

constexpr int most_samples = 100'000'000;

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

void describe(Cli& cli, Options& options) {
    cli.usage = "mpirun -n N ovnisync [-o FILE] [-n N] [-d TABLES [-w SECONDS]] [--samples FILE.h5] [-v]";
    cli.description =
        "Measures the offset of every node's clock against that of rank 0. One rank per node is enough; "
        "where "
        "there\nare more, one of each node is chosen. Writes a table, and beside it clocks.json, which the "
        "emulators read:\nper node the offset, the interval in which it lies for certain, and with -d how it "
        "changes with time.\n\nThe summary shows per node, in ns: offset (to be added to the node's clock), "
        "the interval, its half (bound),\nthe smallest round trip, by how much the exchange with that round "
        "trip alone (min-RTT) says something else,\nthe number of exchanges, with -d the rate, and the "
        "method: "
        "\"envelope\", the middle between the fastest messages\nof each direction, or \"theil-sen\", the "
        "line "
        "whose slope is the median of those between any two measurements.\n";
    cli.options.add_options()("outfile,o", po::value(&options.outfile)->value_name("FILE"),
                              "where the table goes; default: clock-offsets.txt, with -d clock-drift.txt, in "
                              "OVNI_TRACEDIR or ovni; clocks.json goes to the same directory")(
        "exchanges,n", po::value(&options.samples)->default_value(1000)->value_name("N"),
        "exchanges per node, at most; fewer where more would not help")(
        "tables,d", po::value(&options.tables)->default_value(1)->value_name("TABLES"),
        "with more than 1: measure so many times, and write how the offsets drift, one row per measurement")(
        "pause,w", po::value(&options.pause_s)->default_value(5)->value_name("SECONDS"),
        "pause after each row")("samples", po::value(&options.samples_file)->value_name("FILE.h5"),
                                "write the time stamps of all exchanges as HDF5")("verbose,v",
                                                                                  "print every exchange");
}

void check(const Cli& cli, Options& options) {
    if (!cli.words.empty()) throw UsageError("unexpected word '" + cli.words.front() + "' (see --help)");
    if (options.samples < 1) throw UsageError("-n must be at least 1");
    if (options.samples > most_samples) throw UsageError(fmt::format("-n must be at most {}", most_samples));
    if (options.tables < 1) throw UsageError("-d must be at least 1");
    if (options.pause_s < 0) throw UsageError("-w must not be negative");
    if (!cli.has("outfile")) options.outfile = default_outfile(options.tables);
    if (are_same(options.clock_file(), options.outfile))
        throw UsageError("clocks.json is written anyway, -o is for the table");
    if (!options.samples_file.empty()) {
        if (!can_write_samples()) throw UsageError("--samples: this ovnisync was built without HDF5");
        if (are_same(options.samples_file, options.outfile) ||
            are_same(options.samples_file, options.clock_file()))
            throw UsageError("--samples and -o name the same file");
    }
    options.verbose = cli.has("verbose");
}

}  // namespace ovni::sync
