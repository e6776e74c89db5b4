// ovnitop: tables of a trace (top/), by default its events by code.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/topics.hpp"
#include "cut/focus.hpp"
#include "session/check/left_events.hpp"
#include "session/check/trace_check.hpp"
#include "tools/text_output.hpp"
#include "tools/top/table_writers.hpp"
#include "tools/top/tables.hpp"

namespace ovni {

namespace {

Cli top_cli() {
    Cli cli;
    cli.manual = {
        .program = "ovnitop",
        .summary = "count the events of a trace",
        .usage = "ovnitop [OPTIONS] DIR",
        .words = "DIR",
        .description =
            R"(Counts the events of the trace in DIR by code, the most frequent first. A damaged stream counts
up to its damage, and the status is 1.

--from, --to, --region, --without and --ranks choose a part, as if ovnicut had written it: see --help cut. A TIME counts
from the first event, as in the outputs of ovniemu: 1.5s 300ms 20us 123456ns.)",
        .options = {},
        .lists = "",
        .topics = {&topics::cut, &topics::analysis, &topics::tables},
    };
    for (const TopTable* table : top_tables) cli.manual.options.push_back(table->row);
    for (const TableWriter* writer : table_writers) cli.manual.options.push_back(writer->row);
    insert_focus_rows(cli.manual, cli.manual.options.size());
    return cli;
}

// The table that is asked for, if any. A table that needs the option of another one replaces that, and
// follows all others.
std::vector<const TopTable*> chosen_tables(const Cli& cli) {
    const auto has = [&](std::string_view option) { return cli.has(std::string(option)); };
    const TopTable* chosen = nullptr;
    for (const TopTable* table : top_tables) {
        if (table->needs || !has(table->row.name)) continue;
        if (chosen)
            throw UsageError(
                fmt::format("--{} and --{}: choose one (see --help)", chosen->row.name, table->row.name));
        chosen = table;
    }
    for (const TopTable* table : top_tables) {
        if (!table->needs || !has(table->row.name)) continue;
        if (!chosen)
            throw UsageError(fmt::format("--{} needs --{} (see --help)", table->row.name, table->needs));
        if (!has(table->needs)) return {chosen, table};
        chosen = table;
    }
    if (!chosen) return {};
    return {chosen};
}

WriteTables chosen_writer(const Cli& cli) {
    const TableWriter* chosen = nullptr;
    for (const TableWriter* writer : table_writers) {
        if (!cli.has(std::string(writer->row.name))) continue;
        if (chosen)
            throw UsageError(
                fmt::format("--{} and --{}: choose one (see --help)", chosen->row.name, writer->row.name));
        chosen = writer;
    }
    return chosen ? chosen->write : write_text;
}

TracePart read_part(const Cli& cli) {
    const std::string directory = only_word(cli, "trace directory");
    std::error_code none;
    if (std::filesystem::is_regular_file(directory, none))
        throw UsageError(fmt::format(
            "{} is a file: this table needs a trace directory; --pop takes reports, too", directory));
    const CutOptions options{read_focus(cli)};
    advise_keep_going(directory, "ovniemu ");
    expect_begun(directory);
    make_file_limit_an_error();
    TracePart part(directory, options, std::filesystem::temp_directory_path() / "ovnitop.part");
    if (part.cut()) log::info("{}", sentence_of(*part.cut(), directory));
    return part;
}

std::vector<DataTable> compare_reports(const Cli& cli, const std::vector<const TopTable*>& tables) {
    if (cli.words.empty()) throw UsageError("no trace directory and no report (see --help)");
    if (!read_focus(cli).is_whole())
        throw UsageError("a part of a report: choose it where the report is made (see --help)");
    if (tables.size() > 1)
        throw UsageError(
            fmt::format("--{} needs a trace directory, not reports (see --help)", tables[1]->row.name));
    return tables.front()->make_of_reports(cli.words);
}

// Tables behind those of another option: these may have the same names.
void set_apart(std::vector<DataTable>& tables, std::string_view option) {
    for (DataTable& table : tables) table.name = fmt::format("{}_{}", option, table.name);
    if (!tables.empty()) tables.front().before.insert(tables.front().before.begin(), "");
}

MadeTables make_tables(const Cli& cli) {
    const std::vector<const TopTable*> tables = chosen_tables(cli);
    if (tables.empty()) return count_events(read_part(cli));
    const TopTable* table = tables.front();
    std::error_code none;
    const bool is_trace = cli.words.size() == 1 && std::filesystem::is_directory(cli.words.front(), none);
    if (table->make_of_reports && !is_trace) return {compare_reports(cli, tables)};
    if (table->is_of_whole && !read_focus(cli).is_whole())
        throw UsageError(
            fmt::format("--{} needs the whole trace, as ranks wait for others across the borders of a part: "
                        "leave out --from, --to, "
                        "--region, --without and --ranks (ovnitop --pop has a line for each region)",
                        table->row.name));
    const TracePart part = read_part(cli);
    MadeTables all;
    for (const TopTable* each : tables) {
        MadeTables made = each->make(part);
        all.status = std::max(all.status, made.status);
        if (each != table) set_apart(made.tables, each->row.name);
        std::ranges::move(made.tables, std::back_inserter(all.tables));
    }
    return all;
}

int run(int argc, char** argv) {
    Cli cli = top_cli();
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    const WriteTables write = chosen_writer(cli);
    const MadeTables made = make_tables(cli);
    TextOutput out;
    write(made.tables, out);
    return made.status;
}

}  // namespace

}  // namespace ovni

int main(int argc, char** argv) {
    return ovni::run_main("ovnitop", [&] { return ovni::run(argc, argv); });
}
