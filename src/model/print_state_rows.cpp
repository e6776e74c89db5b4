// Prints the rows of runtime/state_rows.hpp, made of the tables of the event models; run when the runtime
// library is built.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "model/channel_numbers.hpp"
#include "model/model_spec.hpp"
#include "ovni/event_code.hpp"

namespace ovni {
namespace {

struct Row {
    std::string_view code, opposite, kind;
    unsigned stack = 0, key_at = 0, key_size = 0, kept = 0;
};

// States that hooks of the emulator know: which channel of their model they are in, and what of the payload.
struct HookRow {
    std::string_view code, opposite, kind;
    unsigned channel, key_at, key_size, kept;
};

constexpr unsigned no_channel = 200;  // marks: no channel of a table
constexpr HookRow hook_rows[] = {
    {"OM[", "OM]", "push", no_channel, 8, 4, 12},
    {"OM]", "", "pop", no_channel, 8, 4, 0},
    {"OM=", "", "set", no_channel, 8, 4, 12},
    {"KCO", "KCI", "push", kernel_channel::context_switch, 0, 0, 0},
    {"KCI", "", "pop", kernel_channel::context_switch, 0, 0, 0},
    {"MX[", "MX]", "push", 0, 0, 0, 2},
    {"MX]", "", "pop", 0, 0, 0, 0},
    {"MXC", "", "always", 0, 0, 0, 0},
    {"MXO", "", "always", 0, 0, 0, 0},
    {"MXN", "", "always", 0, 0, 0, 0},
    {"VYc", "", "always", 0, 0, 0, 0},
    {"VTc", "", "always", 0, 0, 0, 0},
    {"VTC", "", "always", 0, 0, 0, 0},
    {"VTx", "VTp", "run", nosv_channel::subsystem, 0, 8, 8},
    {"VTe", "", "end", nosv_channel::subsystem, 0, 8, 0},
    {"VTp", "", "pause", nosv_channel::subsystem, 0, 8, 0},
    {"VTr", "", "resume", nosv_channel::subsystem, 0, 8, 0},
    {"6Yc", "", "always", 0, 0, 0, 0},
    {"6Tc", "", "always", 0, 0, 0, 0},
    {"6Tx", "6Tp", "run", nanos6_channel::subsystem, 0, 4, 4},
    {"6Te", "", "end", nanos6_channel::subsystem, 0, 4, 0},
    {"6Tp", "", "pause", nanos6_channel::subsystem, 0, 4, 0},
    {"6Tr", "", "resume", nanos6_channel::subsystem, 0, 4, 0},
    {"POc", "", "always", 0, 0, 0, 0},
    {"PPc", "", "always", 0, 0, 0, 0},
    {"PPx", "PPe", "push", openmp_channel::task_id, 0, 4, 4},
    {"PPe", "", "pop", openmp_channel::task_id, 0, 4, 0},
    {"PQx", "PQe", "push", openmp_channel::label, 0, 4, 4},
    {"PQe", "", "pop", openmp_channel::label, 0, 4, 0},
};

// Stacks are numbered from the first channel of the first model on.
std::vector<Row> all_rows() {
    std::vector<Row> rows;
    unsigned first = 1;
    for (const ModelSpec* model : all_models()) {
        for (const ChannelSpec& channel : model->channels) {
            auto stack = static_cast<unsigned>(first + (&channel - model->channels.data()));
            bool is_stack = channel.kind == ChannelKind::stack;
            for (const StateRule& rule : channel.states) {
                if (rule.enter.empty()) continue;
                rows.push_back({rule.enter, rule.leave, is_stack ? "push" : "set", stack});
                if (!rule.leave.empty()) rows.push_back({rule.leave, "", is_stack ? "pop" : "clear", stack});
            }
        }
        for (const HookRow& hook : hook_rows) {
            if (hook.code[0] != model->id) continue;
            unsigned stack = hook.kind == "always"        ? 0
                             : hook.channel == no_channel ? 255
                                                          : first + hook.channel;
            rows.push_back(
                {hook.code, hook.opposite, hook.kind, stack, hook.key_at, hook.key_size, hook.kept});
        }
        first += static_cast<unsigned>(model->channels.size());
    }
    return rows;
}

uint32_t bits_of(std::string_view code) {
    return code.empty() ? 0 : EventCode::from_chars(code.data()).bits();
}

}  // namespace
}  // namespace ovni

int main() {
    using namespace ovni;
    std::vector<Row> rows = all_rows();
    std::ranges::sort(rows, {}, [](const Row& row) { return bits_of(row.code); });
    for (const Row& row : rows)
        fmt::print("{{{:#08x}, {:#08x}, StateRow::Kind::{}, {}, {}, {}, {}}},  // {}\n", bits_of(row.code),
                   bits_of(row.opposite), row.kind, row.stack, row.key_at, row.key_size, row.kept, row.code);
}
