// ovnievents: prints the events and channels of all models as a Markdown document, from the tables of the
// models.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>

#include "base/cli.hpp"
#include "base/error.hpp"
#include "base/standard_output.hpp"
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

std::string_view kind_of(const ChannelSpec& channel) {
    constexpr std::string_view kinds[] = {"single", "stack", "punctual"};
    return kinds[static_cast<size_t>(channel.kind)];
}

std::string_view shown_on_threads(Tracking tracking) {
    constexpr std::string_view texts[] = {"always", "while running", "while active", "never"};
    return texts[static_cast<size_t>(tracking)];
}

std::string_view shown_on_cpus(Tracking tracking) {
    constexpr std::string_view texts[] = {"of every thread", "of the running thread", "of the active thread",
                                          "none"};
    return texts[static_cast<size_t>(tracking)];
}

std::string disabled_state(const DisabledState& state) {
    return state.value == 0 ? "nothing" : fmt::format("{} {}", state.value, html(state.label));
}

std::string punctual_states(const ChannelSpec& channel) {
    std::string text;
    for (const StateRule& rule : channel.states)
        if (is_punctual(channel, rule) && !rule.label.empty())
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", rule.value, html(rule.label));
    return text;
}

void print_channel(const ChannelSpec& channel) {
    bool is_always_shown = channel.tracking == Tracking::any;
    fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", channel.prv_type, html(channel.title),
               kind_of(channel), shown_on_threads(channel.tracking),
               is_always_shown ? "" : disabled_state(channel.disabled), shown_on_cpus(channel.cpu_tracking),
               punctual_states(channel));
}

void print_channels(const ModelSpec& model) {
    if (model.channels.empty()) return;
    fmt::print(
        "\n| type | channel | kind | on thread rows | else they show | on CPU rows | punctual states |\n"
        "|---|---|---|---|---|---|---|\n");
    for (const ChannelSpec& channel : model.channels) print_channel(channel);
}

void print_model(const ModelSpec& model) {
    auto events = listed_events_of(model);
    fmt::print("\n## Model {}\n\nThe model `{}` has the id `{}`, version {}, and {} events:\n\n<dl>\n",
               model.name, model.name, model.id, model.version, events.size());
    for (const EventEntry& entry : events) print_event(*entry.event);
    fmt::print("</dl>\n");
    print_channels(model);
}

int print_events(int argc, char** argv) {
    Cli cli;
    cli.manual = {
        .program = "ovnievents",
        .summary = "print the events and channels of all models as a document",
        .usage = "ovnievents",
        .words = "",
        .description =
            "Prints the events of all models with their arguments, and the channels that they change "
            "with the rows that show them, as a Markdown document on stdout.",
        .options = {},
        .lists = "",
        .topics = {},
    };
    if (parse(cli, argc, argv) == Parsed::help_printed) return 0;
    if (!cli.words.empty()) throw UsageError("unexpected '" + cli.words.front() + "' (see --help)");
    fmt::print("# Events of the emulator\n\nBuilt on {:%Y-%m-%d}.\n", fmt::gmtime(std::time(nullptr)));
    for (const ModelSpec* model : all_models()) print_model(*model);
    flush_stdout();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return run_main("ovnievents", [&] { return print_events(argc, argv); });
}
