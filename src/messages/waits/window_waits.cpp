#include "messages/waits/window_waits.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

// The gift of a call to members that wait.
enum class Gives : uint8_t { nothing, post, complete, lock };

// `waits_for`: calls of other members that give that.
struct Rule {
    std::string_view function;
    Gives gives, waits_for;
    WaitKind kind;
};
constexpr Rule no_rule{"", Gives::nothing, Gives::nothing, WaitKind::none};
constexpr Rule rules[] = {
    {"MPI_Win_post", Gives::post, Gives::nothing, WaitKind::none},
    {"MPI_Win_start", Gives::nothing, Gives::post, WaitKind::late_post},
    {"MPI_Win_complete", Gives::complete, Gives::post, WaitKind::late_post},
    {"MPI_Win_wait", Gives::nothing, Gives::complete, WaitKind::late_complete},
    {"MPI_Win_lock", Gives::nothing, Gives::lock, WaitKind::lock},
    {"MPI_Win_lock_all", Gives::nothing, Gives::lock, WaitKind::lock},
    {"MPI_Win_flush", Gives::nothing, Gives::lock, WaitKind::lock},
    {"MPI_Win_flush_all", Gives::nothing, Gives::lock, WaitKind::lock},
    {"MPI_Win_flush_local", Gives::nothing, Gives::lock, WaitKind::lock},
    {"MPI_Win_flush_local_all", Gives::nothing, Gives::lock, WaitKind::lock},
    {"MPI_Win_unlock", Gives::lock, Gives::lock, WaitKind::lock},
    {"MPI_Win_unlock_all", Gives::lock, Gives::lock, WaitKind::lock},
};

constexpr auto rule_of_function = [] {
    std::array<const Rule*, std::size(mpi_function_rows)> of{};
    for (size_t f = 0; f < of.size(); ++f) {
        of[f] = &no_rule;
        for (const Rule& rule : rules)
            if (rule.function == mpi_function_rows[f].name) of[f] = &rule;
    }
    return of;
}();

const Rule& rule_of(uint16_t function) {
    return *rule_of_function[function];
}

// A call for all members has no target, and is about a lock that they share.
bool may_exclude(const WindowCall& a, const WindowCall& b) {
    return (a.target >= 0 || b.target >= 0) && (a.target < 0 || b.target < 0 || a.target == b.target);
}

// The last call of another member that was entered during `call` and gives what it waits for; null: none.
const WindowCall* late_call(const WindowCall& call, std::span<const WindowCall> calls) {
    const Rule& rule = rule_of(call.function);
    if (rule.kind == WaitKind::none) return nullptr;
    auto later = std::ranges::upper_bound(calls, call.leave, {}, &WindowCall::enter);
    while (later != calls.begin()) {
        const WindowCall& cause = *--later;
        if (cause.enter <= call.enter) return nullptr;
        const bool is_awaited =
            rule_of(cause.function).gives == rule.waits_for && cause.process != call.process;
        if (is_awaited && (rule.kind != WaitKind::lock || may_exclude(call, cause))) return &cause;
    }
    return nullptr;
}

}  // namespace

TableVector<WindowCall> window_calls(const FoundObjects& found) {
    TableVector<WindowCall> all;
    for (const ObjectCall& call : found.calls) {
        const MpiObject& object = found.objects[call.object];
        if (object.communicator_id == 0 || call.behind_gap || &rule_of(call.function) == &no_rule) continue;
        WindowCall& of = all.emplace_back();
        of.communicator = object.communicator_id;
        of.scope = object.scope;
        of.turn = object.turn;
        of.enter = call.enter;
        of.leave = call.leave;
        of.stream = call.stream;
        of.process = object.process;
        of.target = call.target;
        of.function = call.function;
    }
    return all;
}

std::vector<Wait> waits_at_window(std::span<const WindowCall> calls) {
    std::vector<Wait> waits;
    for (const WindowCall& call : calls)
        if (const WindowCall* cause = late_call(call, calls)) {
            Wait& wait = waits.emplace_back();
            wait.begin = call.enter;
            wait.end = wait.cause_time = cause->enter;
            wait.stream = call.stream;
            wait.cause_stream = cause->stream;
            wait.function = call.function;
            wait.kind = rule_of(call.function).kind;
        }
    return waits;
}

}  // namespace ovni
