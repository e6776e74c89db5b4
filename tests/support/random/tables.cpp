#include "tests/support/random/tables.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ovni::test::random_trace {

namespace {

using nlohmann::json;

EventCode code_of(const json& event) {
    return EventCode::from_chars(event.at("mcv").get_ref<const std::string&>().c_str());
}

void add_state(StackTable& table, const json& event) {
    int value = event.at("value");
    auto row = std::ranges::find(table.rows, value, &StateRow::value);
    if (row == table.rows.end()) row = table.rows.insert(row, {value, {}, {}});
    (event.at("action") == "push" ? row->enter : row->leave).push_back(code_of(event));
}

void add_event(ModelTable& table, const json& event) {
    const std::string& action = event.at("action").get_ref<const std::string&>();
    bool payload = event.value("signature", "").size() > 3;
    if (action == "push" || action == "pop")
        add_state(table.stacks.at(event.at("channel")), event);
    else if (action == "set" && event.at("channel") == "idle")
        table.idle.push_back({code_of(event), event.at("value")});
    else if (action.starts_with("ignore") && !payload)
        table.ignored.push_back(code_of(event));
}

ModelTable table_of(const json& model) {
    ModelTable table;
    table.id = model.at("id").get_ref<const std::string&>().front();
    table.name = model.at("name");
    table.version = model.at("version");
    for (const json& channel : model.at("channels"))
        if (channel.at("kind") == "stack") table.stacks[channel.at("name")].repeats = channel.at("allow_dup");
    for (const json& event : model.at("events")) {
        add_event(table, event);
        table.declared.push_back(code_of(event));
    }
    if (model.contains("undeclared_events"))
        for (const json& event : model.at("undeclared_events")) add_event(table, event);
    return table;
}

std::map<char, ModelTable> read_tables() {
    std::ifstream file(OVNI_MODELS_JSON);
    if (!file) throw std::runtime_error("cannot read " OVNI_MODELS_JSON);
    std::map<char, ModelTable> tables;
    const json document = json::parse(file);
    for (const json& model : document.at("models")) {
        ModelTable table = table_of(model);
        tables.emplace(table.id, std::move(table));
    }
    return tables;
}

}  // namespace

const std::map<char, ModelTable>& model_tables() {
    static const std::map<char, ModelTable> tables = read_tables();
    return tables;
}

}  // namespace ovni::test::random_trace
