// ovnievents: prints the events of all models as a Markdown document, from the tables of the models.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "model/model_spec.hpp"

namespace {

using namespace ovni;

struct Entity {
    char character;
    std::string_view text;
};
constexpr Entity entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};

std::string html(std::string_view text) {
    std::string escaped;
    for (char c : text) {
        auto special = std::ranges::find(entities, c, &Entity::character);
        if (special == std::end(entities))
            escaped += c;
        else
            escaped += special->text;
    }
    return escaped;
}

void print_event(const EventSpec& event) {
    std::string code = html(event.signature.substr(0, 3));
    fmt::print("<dt><a id=\"{0}\" href=\"#{0}\"><pre>{1}</pre></a></dt>\n<dd>{2}</dd>\n", code,
               html(event.signature), html(event.description));
}

void print_model(const ModelSpec& model) {
    auto events = listed_events_of(model);
    fmt::print("\n## Model {}\n\nThe model `{}` has the id `{}`, version {}, and {} events:\n\n<dl>\n",
               model.name, model.name, model.id, model.version, events.size());
    for (const EventEntry& entry : events) print_event(*entry.event);
    fmt::print("</dl>\n");
}

int print_events(int argc, char** argv) {
    Cli cli;
    cli.manual = {
        .program = "ovnievents",
        .summary = "print the events of all models as a document",
        .usage = "ovnievents",
        .words = "",
        .description = "Prints the events of all models as a Markdown document on stdout.",
        .options = {},
        .lists = "",
        .topics = {},
    };
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    if (!cli.words.empty()) throw UsageError("unexpected '" + cli.words.front() + "' (see --help)");
    fmt::print("# Events of the emulator\n\nBuilt on {:%Y-%m-%d}.\n", fmt::gmtime(std::time(nullptr)));
    for (const ModelSpec* model : all_models()) print_model(*model);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_main("ovnievents", [&] { return print_events(argc, argv); });
}
