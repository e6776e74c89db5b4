#include "messages/waits/window_waits.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "messages/scan/message_ends.hpp"
#include "mpi_function_rows.hpp"

namespace ovni {

namespace {

enum class Role : uint8_t { none, start, post, complete, wait, lock, unlock };

struct RoleRow {
    std::string_view function;
    Role role;
};
constexpr RoleRow role_rows[] = {
    {"MPI_Win_start", Role::start},       {"MPI_Win_post", Role::post},
    {"MPI_Win_complete", Role::complete}, {"MPI_Win_wait", Role::wait},
    {"MPI_Win_lock", Role::lock},         {"MPI_Win_lock_all", Role::lock},
    {"MPI_Win_flush", Role::lock},        {"MPI_Win_flush_all", Role::lock},
    {"MPI_Win_flush_local", Role::lock},  {"MPI_Win_flush_local_all", Role::lock},
    {"MPI_Win_unlock", Role::unlock},     {"MPI_Win_unlock_all", Role::unlock},
};

constexpr auto roles = [] {
    std::array<Role, std::size(mpi_function_rows)> of{};
    for (size_t f = 0; f < of.size(); ++f)
        for (const RoleRow& row : role_rows)
            if (row.function == mpi_function_rows[f].name) of[f] = row.role;
    return of;
}();

Role role_of(const WindowCall& call) {
    return roles[call.function];
}

// A call for all members has no target, and is about a lock that they share.
bool may_exclude(const WindowCall& a, const WindowCall& b) {
    return (a.target >= 0 || b.target >= 0) && (a.target < 0 || b.target < 0 || a.target == b.target);
}

class WaitsAtWindow {
 public:
    explicit WaitsAtWindow(std::span<const WindowCall> calls) : calls_(calls) {}

    std::vector<Wait> take() {
        for (const WindowCall& call : calls_) switch (role_of(call)) {
                case Role::start:
                case Role::complete:
                    add(call, Role::post, WaitKind::late_post);
                    break;
                case Role::wait:
                    add(call, Role::complete, WaitKind::late_complete);
                    break;
                case Role::lock:
                case Role::unlock:
                    add(call, Role::unlock, WaitKind::lock);
                    break;
                case Role::post:
                case Role::none:
                    break;
            }
        return std::move(waits_);
    }

 private:
    // The last call of another member with that role that was entered meanwhile.
    void add(const WindowCall& call, Role role, WaitKind kind) {
        auto later = std::ranges::upper_bound(calls_, call.leave, {}, &WindowCall::enter);
        while (later != calls_.begin()) {
            const WindowCall& cause = *--later;
            if (cause.enter <= call.enter) return;
            if (role_of(cause) != role || cause.process == call.process) continue;
            if (kind == WaitKind::lock && !may_exclude(call, cause)) continue;
            Wait& wait = waits_.emplace_back();
            wait.begin = call.enter;
            wait.end = wait.cause_time = cause.enter;
            wait.stream = call.stream;
            wait.cause_stream = cause.stream;
            wait.function = call.function;
            wait.kind = kind;
            return;
        }
    }

    const std::span<const WindowCall> calls_;
    std::vector<Wait> waits_;
};

}  // namespace

TableVector<WindowCall> window_calls(const FoundObjects& found) {
    TableVector<WindowCall> all;
    for (const ObjectCall& call : found.calls) {
        const MpiObject& object = found.objects[call.object];
        if (object.communicator_id == 0 || call.behind_gap || roles[call.function] == Role::none) continue;
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
    return WaitsAtWindow(calls).take();
}

}  // namespace ovni
