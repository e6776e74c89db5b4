#include "tools/wait_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "emu/plan/rank_names.hpp"
#include "messages/waits/visit_collectives.hpp"
#include "mpi_function_rows.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

namespace {

std::string_view name_of(uint16_t function) {
    return function < std::size(mpi_function_rows) ? mpi_function_rows[function].name : "?";
}

class Sources {
 public:
    Sources(const TraceOfWait& of, const Wait& wait) : of_(of), wait_(wait) {}

    void add_wait(size_t number) {
        constexpr double seconds = 1e-9;
        add("wait {}: {}, {:.9f} s, in {}", number, wait_names[static_cast<size_t>(wait_.kind)],
            static_cast<double>(wait_.length()) * seconds, name_of(wait_.function));
        if (wait_.site != MpiCaller::unknown) add("  called by   {}", one_line(of_.sites.text(wait_.site)));
        add("  who waits   {}", place(wait_.stream));
        if (wait_.cause_stream != MessageEnd::no_stream) add("  for         {}", place(wait_.cause_stream));
        add("  from        {}", time(wait_.begin));
        add("  to          {}", time(wait_.end));
        add("  cause       {}", time(wait_.cause_time));
        if (wait_.between > 0) add("  between     {} ns outside of its calls", wait_.between);
        add("  clocks      {}",
            wait_.bound < 0 ? "may be wrong by any time" : fmt::format("may be wrong by {} ns", wait_.bound));
    }
    // Adds a message that the call completes on the side that waits.
    void add(const Message& message) {
        if (is_receiver(message) || is_sender(message)) {
            add("message of {} bytes, tag {}, communicator {}", bytes(message.bytes), message.tag,
                name_of_communicator(message.communicator));
            add_end("send", message.send_stream, message.send_offset, message.send_function,
                    message.send_posted,
                    {message.send_completed_in, message.send_completed_by, message.send_wait_begin,
                     message.send_wait_end});
            add_end("receive", message.receive_stream, message.receive_offset, message.receive_function,
                    message.receive_posted,
                    {message.receive_completed_in, message.receive_completed_by, message.receive_wait_begin,
                     message.receive_wait_end});
        }
    }
    // Adds the collective, if the wait is at it.
    void add(std::span<const CollectiveEnd> members) {
        if (std::ranges::none_of(members, [&](const CollectiveEnd& member) { return waits_at(member); }))
            return;
        const CollectiveEnd& first = members[0];
        add("collective {} of {} on communicator {}, {} of {} members", first.turn, name_of(first.function),
            name_of_communicator(first.communicator), members.size(),
            first.size == 0 ? "?" : std::to_string(first.size));
        std::vector<CollectiveEnd> by_enter(members.begin(), members.end());
        std::ranges::stable_sort(by_enter, {}, &CollectiveEnd::enter);
        for (const CollectiveEnd& member : by_enter) {
            add_end(member.rank == member.root ? "root" : "member", member.stream, member.offset,
                    member.function, member.enter,
                    {member.completed_in, member.completed_by, member.wait_begin, member.wait_end});
            add("          sent {}, received {} bytes", member.sent, member.received);
        }
    }
    std::vector<std::string> take() { return std::move(lines_); }

 private:
    struct Completion {
        uint32_t stream;
        uint16_t function;
        int64_t begin, end;
    };

    bool is_receiver(const Message& message) const {
        if (wait_.kind == WaitKind::failed_tests)
            return message.receive_completed_in == wait_.stream && message.send_posted == wait_.cause_time &&
                   message.send_stream == wait_.cause_stream;
        if (!is_late_sender()) return false;
        const bool is_completed_there =
            message.receive_completed_in == wait_.stream && message.receive_wait_begin == wait_.begin;
        return is_completed_there || is_probed(message);
    }
    // The call of the wait has found it.
    bool is_probed(const Message& message) const {
        return message.receive_posted > wait_.begin &&
               of_.system.process_of_stream(message.receive_stream) ==
                   of_.system.process_of_stream(wait_.stream) &&
               message.send_posted == wait_.cause_time && message.send_stream == wait_.cause_stream;
    }
    bool is_sender(const Message& message) const {
        return wait_.kind == WaitKind::late_receiver && message.send_completed_in == wait_.stream &&
               message.send_wait_begin == wait_.begin;
    }
    bool is_late_sender() const {
        return wait_.kind == WaitKind::late_sender || wait_.kind == WaitKind::late_sender_wrong_order;
    }
    bool waits_at(const CollectiveEnd& member) const {
        return member.completed_in == wait_.stream && member.completed_by == wait_.function &&
               member.wait_begin <= wait_.begin && wait_.end <= member.wait_end;
    }

    void add_end(std::string_view what, uint32_t stream, uint64_t offset, uint16_t function, int64_t posted,
                 const Completion& completion) {
        const bool is_blocking = completion.function == function && completion.begin == posted;
        add("  {:<8}{} at offset {}", what, place(stream), offset);
        if (!is_blocking) add("          {} at {}", name_of(function), time(posted));
        if (completion.stream == MessageEnd::no_stream)
            add("          was not seen to complete");
        else
            add("          {} from {} to {}{}", name_of(completion.function), time(completion.begin),
                time(completion.end), completion.stream == stream ? "" : " in " + place(completion.stream));
    }
    std::string place(uint32_t stream) const {
        return fmt::format("{} {}", names_.full(of_.system.process_of_stream(stream)),
                           of_.trace.streams()[stream].relative_path());
    }
    std::string time(int64_t clock) const {
        constexpr double seconds = 1e-9;
        if (clock == MessageEnd::never) return "never";
        return fmt::format("{:.9f} s", static_cast<double>(clock - of_.origin) * seconds);
    }
    static std::string bytes(uint64_t bytes) {
        return bytes == MessageEnd::unknown_bytes ? "?" : std::to_string(bytes);
    }
    static std::string name_of_communicator(uint64_t id) {
        if (id == OVNI_MPI_WORLD) return "MPI_COMM_WORLD";
        return id == OVNI_MPI_SELF ? "MPI_COMM_SELF" : fmt::format("{:#x}", id);
    }
    template <class... Args>
    void add(fmt::format_string<Args...> text, Args&&... args) {
        lines_.push_back(fmt::format(text, std::forward<Args>(args)...));
    }

    const TraceOfWait& of_;
    const RankNames names_{of_.system};
    const Wait wait_;
    std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> sources_of_wait(const TrafficAnalysis& traffic, const TraceOfWait& of,
                                         size_t number) {
    const std::vector<Wait>& waits = traffic.wait_summary.longest;
    if (number == 0 || number > waits.size())
        throw Error(
            fmt::format("there is no wait {}: {} are listed (see ovnitop --waits)", number, waits.size()),
            of.trace.directory());
    Sources sources(of, waits[number - 1]);
    sources.add_wait(number);
    traffic.messages.visit([&](const Message& message) { sources.add(message); });
    for (const auto* ends : {&traffic.collectives, &traffic.world_calls})
        visit_collectives(*ends, [&](std::span<const CollectiveEnd> members) { sources.add(members); });
    return sources.take();
}

}  // namespace ovni
