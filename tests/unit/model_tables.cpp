// The tables of the models against the description of the reference's models in tests/oracle/models.json, and
// the documentation against the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "emu/plan/plan.hpp"
#include "model/model_spec.hpp"
#include "tests/support/process.hpp"

namespace ovni::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

const Json& description() {
    static const Json json = Json::parse(read_file(std::string(SOURCE_DIR) + "/tests/oracle/models.json"));
    return json;
}

// Our additions to models of the reference.
constexpr const char* our_events[] = {"MX[", "MX]", "MXp", "MXs", "MXo", "MXg", "MXc", "MXr", "MXb",
                                      "MX@", "MXC", "MXO", "MXN", "MXk", "MXu", "MXe", "PX[", "PX]",
                                      "PR[", "PR]", "PNa", "PNp", "PNc", "PNd", "PNk", "PNx"};
const std::map<std::string, std::string> our_versions = {{"mpi", "1.4.0"}, {"openmp", "1.4.0"}};

size_t our_events_of(const ModelSpec& model) {
    return static_cast<size_t>(std::ranges::count(our_events, model.id, [](auto* code) { return code[0]; }));
}

std::string version_of(const Json& described) {
    auto ours = our_versions.find(described["name"].get<std::string>());
    return ours == our_versions.end() ? described["version"].get<std::string>() : ours->second;
}

const ModelSpec& model_of(const Json& described) {
    return *find_model(described["id"].get<std::string>()[0]);
}

const char* name_of(Tracking tracking) {
    return tracking == Tracking::any ? "any" : tracking == Tracking::running ? "running" : "active";
}

const char* flag_of(Repeats repeats) {
    return repeats == Repeats::skip ? "SKIPDUP" : repeats == Repeats::write ? "EMITDUP" : "SKIPDUPNULL";
}

std::string suffix(Tracking tracking) {
    return tracking == Tracking::any       ? " "
           : tracking == Tracking::running ? " of the RUNNING thread"
                                           : " of the ACTIVE thread";
}

void expect_channel(const ChannelSpec& channel, const Json& described) {
    EXPECT_EQ(channel.name, described["name"].get<std::string>());
    EXPECT_EQ(channel.kind == ChannelKind::stack, described["kind"] == "stack");
    EXPECT_EQ(channel.duplicates == Duplicates::allowed, described["allow_dup"].get<bool>());
    EXPECT_EQ(channel.prv_type, described["prv_type"].get<int>());
    EXPECT_EQ(name_of(channel.tracking), described["thread_track"].get<std::string>());
    EXPECT_EQ(name_of(channel.cpu_tracking), described["cpu_track"].get<std::string>());
    EXPECT_EQ(flag_of(channel.repeats), described["prv_flags"][0].get<std::string>());
    EXPECT_EQ(std::string(channel.title) + suffix(channel.tracking),
              described["pcf_title_thread"].get<std::string>());
    EXPECT_EQ(std::string(channel.title) + suffix(channel.cpu_tracking),
              described["pcf_title_cpu"].get<std::string>());
    EXPECT_EQ(channel.initial, described.value("initial", 0));
    EXPECT_EQ(channel.cpu_default, described.value("cpu_default_when_no_running_thread", 0));
    EXPECT_EQ(channel.labels == Labels::task_types,
              described.value("dynamic_values", std::string()) == "task_types");
    std::vector<std::pair<int64_t, std::string>> labels;
    for (const StateRule& state : channel.states)
        if (!state.label.empty()) labels.emplace_back(state.value, state.label);
    EXPECT_EQ(labels, described["values"].get<decltype(labels)>());
}

TEST(ModelTables, ModelsAndChannelsAreThoseThatAreDescribed) {
    const auto ours = std::ranges::count(all_models(), Origin::ours, &ModelSpec::origin);
    ASSERT_EQ(all_models().size(), description()["models"].size() + static_cast<size_t>(ours));
    for (const Json& described : description()["models"]) {
        const ModelSpec& model = model_of(described);
        SCOPED_TRACE(model.name);
        EXPECT_EQ(std::string(1, model.id), described["id"].get<std::string>());
        EXPECT_EQ(model.name, described["name"].get<std::string>());
        EXPECT_EQ(model.version, version_of(described));
        auto of_reference = static_cast<size_t>(
            std::ranges::count_if(model.channels, [](auto& channel) { return channel.since.empty(); }));
        ASSERT_EQ(of_reference, described["channels"].size());
        for (size_t c = 0; c < of_reference; ++c) {
            SCOPED_TRACE(model.channels[c].name);
            expect_channel(model.channels[c], described["channels"][c]);
        }
    }
}

// An event that the table handles alone has the action that is described.
void expect_action(const ModelSpec& model, const EventSpec& event, const Json& described) {
    static const std::map<std::string, Action> actions = {
        {"push", Action::push}, {"pop", Action::pop}, {"set", Action::set}, {"ignore", Action::ignore}};
    auto action = actions.find(described["action"].get<std::string>());
    if (action == actions.end() || event.action == Action::hook) return;
    EXPECT_EQ(event.action, action->second);
    if (event.action == Action::ignore) return;
    EXPECT_EQ(model.channels[event.channel].name, described["channel"].get<std::string>());
    EXPECT_EQ(event.value, described["value"].get<int64_t>());
}

TEST(ModelTables, EventsAreThoseThatAreDescribed) {
    size_t all = 0;
    for (const Json& described : description()["models"]) {
        const ModelSpec& model = model_of(described);
        size_t shared = listed_events_of(model).size() - our_events_of(model);
        EXPECT_EQ(shared, described["events"].size()) << model.name;
        all += shared;
        for (const Json& event : described["events"]) {
            auto code = event["mcv"].get<std::string>();
            SCOPED_TRACE(code);
            const EventEntry& entry = find_event(EventCode::from_chars(code.data()));
            ASSERT_EQ(entry.model, &model);
            EXPECT_EQ(entry.event->signature, event["signature"].get<std::string>());
            expect_action(model, *entry.event, event);
        }
    }
    EXPECT_EQ(all, 365u);
    for (const char* code : our_events) EXPECT_TRUE(find_event(EventCode::from_chars(code)).event) << code;
}

TEST(ModelTables, BreakdownsHaveTheTypesAndTitlesThatAreDescribed) {
    for (const Json& output : description()["extra_prv"]) {
        std::string file = output["file"][0];
        if (!file.ends_with("-breakdown")) continue;
        const ModelSpec* model = find_model(file.substr(0, file.find('-')));
        ASSERT_TRUE(model && model->breakdown) << file;
        EXPECT_EQ(model->breakdown->prv_type, output["type"].get<int>());
        EXPECT_EQ("CPU: " + std::string(model->breakdown->title), output["pcf_title"].get<std::string>());
    }
}

TEST(ModelDocumentation, OvnieventsPrintsEveryEvent) {
    Finished printed = run({program("ovnievents")});
    ASSERT_EQ(printed.status, 0) << printed.err;
    for (const Json& described : description()["models"]) {
        EXPECT_THAT(printed.out, HasSubstr("\n## Model " + described["name"].get<std::string>() + "\n"));
        EXPECT_THAT(printed.out,
                    HasSubstr(fmt::format("version {}, and {} events", version_of(described),
                                          described["events"].size() + our_events_of(model_of(described)))));
        for (const Json& event : described["events"]) {
            auto signature = event["signature"].get<std::string>();
            if (signature.find_first_of("&<>\"") != std::string::npos) continue;
            EXPECT_THAT(printed.out, HasSubstr("<pre>" + signature + "</pre>"));
        }
    }
    EXPECT_EQ(printed.out.find("6TC"), std::string::npos) << "accepted, but not listed";
}

TEST(ModelDocumentation, TheReadmeListsTheModels) {
    std::string readme = read_file(std::string(SOURCE_DIR) + "/src/model/README.md");
    for (const ModelSpec* model : all_models())
        EXPECT_THAT(readme, HasSubstr(fmt::format("| `{}` | {} | {} | {} |", model->id, model->name,
                                                  model->version, listed_events_of(*model).size())));
}

}  // namespace
}  // namespace ovni::test
