#include "tools/cut_cli.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/topics.hpp"
#include "base/typed_options.hpp"
#include "model/model_spec.hpp"

namespace ovni {

namespace {

char parse_model(const std::string& name) {
    const ModelSpec* model = name.size() == 1 ? find_model(name[0]) : find_model(name);
    if (!model) throw UsageError("--models: there is no model '" + name + "' (see --help)");
    return model->id;
}

void take_looms(CutCommand& command, const std::string& value) {
    for (const std::string& loom : items_of("looms", value)) command.options.looms.insert(loom);
}

void take_models(CutCommand& command, const std::string& value) {
    for (const std::string& model : items_of("models", value)) command.options.models += parse_model(model);
}

void set_form(CutCommand& command, StreamForm form) {
    if (command.options.form != StreamForm::as_it_was)
        throw UsageError("--plain and --packed: choose one (see --help)");
    command.options.form = form;
}

constexpr TypedOption<CutCommand> cut_rows[] = {
    {{"output", "o", "DIR", "", "Directory of the new trace."}, store<&CutCommand::output>},
    {{"looms", "", "LIST", "", "Only these looms, by name: node0,node1."}, take_looms},
    {{"models", "", "LIST", "",
      "Only events of these models, by character or name: M,nosv. The life cycle of threads always stays."},
     take_models},
    {{"clock-offsets", "c", "FILE", "",
      "Clocks of the nodes, clocks.json or clock-offsets.txt of any name. ovniemu needs FILE for OUT again."},
     [](CutCommand& command, const std::string& value) { command.options.clock_table = value; }},
    {{"sort", "", "", "", "Sort unsorted regions (OU[ to OU]), as ovnisort does."},
     [](CutCommand& command, const std::string&) { command.options.regions = Regions::sorted; }},
    {{"plain", "", "", "", "Write plain streams, which other programs can read."},
     [](CutCommand& command, const std::string&) { set_form(command, StreamForm::plain); }},
    {{"packed", "", "", "",
      "Write packed streams, mostly a tenth as large. Without --plain and --packed, streams keep their "
      "form."},
     [](CutCommand& command, const std::string&) { set_form(command, StreamForm::packed); }},
};

std::string list_of_models() {
    std::string text = "Models:\n\n";
    for (const ModelSpec* model : all_models()) text += fmt::format("    {}  {}\n", model->id, model->name);
    return text;
}

}  // namespace

Cli cut_cli() {
    Cli cli;
    cli.manual = {
        .program = "ovnicut",
        .summary = "write a part of a trace as a trace of its own",
        .usage = "ovnicut [OPTIONS] TRACE -o OUT",
        .words = "DIR",
        .description =
            R"(Writes a part of the runtime trace in the directory TRACE as a trace of its own into OUT, which
must not exist, or be empty. States that are open at --from are opened there again. States that are open at --to are
closed.

A TIME counts from the first event of TRACE, as in the outputs of ovniemu. It is a number with its unit:

    1.5s 300ms 20us 123456ns)",
        .options = {},
        .lists = list_of_models(),
        .topics = {&topics::cut},
    };
    append_rows(cli.manual.options, cut_rows);
    insert_focus_rows(cli.manual, 1);
    return cli;
}

CutCommand read_cut_command(const Cli& cli) {
    CutCommand command;
    command.trace = only_word(cli, "trace directory");
    if (!cli.has("output")) throw UsageError("missing -o, the directory of the new trace (see --help)");
    take_options(cut_rows, cli, command);
    command.options.focus = read_focus(cli);
    return command;
}

}  // namespace ovni
