#include "sink/perfetto/perfetto_tracks.hpp"

#include <fmt/format.h>

#include <string>

#include "base/utf8.hpp"
#include "sink/process_order.hpp"

namespace ovni {

namespace {

// Without the words about the rows of other views.
std::string title_of(const EventType& type) {
    std::string_view title = type.title;
    for (std::string_view words : {" of the RUNNING thread", " of the ACTIVE thread", " "})
        if (title.ends_with(words)) title.remove_suffix(words.size());
    if (title.starts_with("Thread: ")) title.remove_prefix(std::string_view("Thread: ").size());
    return valid_utf8(title);
}

std::string track_name(const ShownProcess& process) {
    return valid_utf8(process.rank ? fmt::format("rank {} {}", process.rank_name, process.host)
                                   : fmt::format("process {} {}", process.pid, process.host));
}

}  // namespace

PerfettoTracks::PerfettoTracks(const Schema& schema)
    : schema_(schema),
      children_(schema.thread.types.size() + 1),
      order_(processes_in_order(schema)),
      number_of_(schema.processes.size()) {
    for (size_t i = 0; i < order_.size(); ++i) number_of_[order_[i]] = static_cast<int64_t>(i + 1);
}

void PerfettoTracks::describe_all(PerfettoPackets& packets) const {
    for (uint32_t p : order_) {
        const ShownProcess& process = schema_.processes[p];
        packets.process(1 + p, {number_of_[p], track_name(process), fmt::format("pid {}", process.pid)});
    }
    const auto first_number = static_cast<int64_t>(order_.size() + 1);
    for (uint32_t row = 0; row < schema_.threads.size(); ++row)
        packets.thread(of_thread(row), {number_of_[schema_.threads[row].process], first_number + row,
                                        valid_utf8((*schema_.thread.rows)[row])});
}

PerfettoPackets::Child PerfettoTracks::child(uint32_t row, uint32_t type) const {
    return {of_thread(row), type, title_of(schema_.thread.types[type])};
}

void PerfettoTracks::describe_type(PerfettoPackets& packets, uint32_t row, uint32_t type) const {
    packets.child(of_type(row, type), child(row, type));
}

void PerfettoTracks::describe_counter(PerfettoPackets& packets, uint32_t row, uint32_t type) const {
    packets.counter(of_type(row, type), child(row, type));
}

// Waits come first, next to the calls in which they are.
void PerfettoTracks::describe_waits(PerfettoPackets& packets, uint32_t row) const {
    packets.child(of_waits(row), {of_thread(row), -1, "MPI wait state"});
}

void PerfettoTracks::add_peer(PerfettoArguments& arguments, PerfettoArguments::Key key, uint32_t row) const {
    const ShownProcess& process = schema_.processes[schema_.threads[row].process];
    if (process.rank && process.rank_name == std::to_string(*process.rank))
        arguments.add(key, int64_t{*process.rank});
    else if (process.rank)
        arguments.add(key, process.rank_name);
    else
        arguments.add(key, valid_utf8((*schema_.thread.rows)[row]));
}

}  // namespace ovni
