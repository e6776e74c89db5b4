#include "sink/perfetto/perfetto_packets.hpp"

#include <array>
#include <bit>
#include <protozero/pbf_writer.hpp>

namespace ovni {

namespace {

using PacketWriter = protozero::pbf_writer;

namespace trace_field {
constexpr uint32_t packet = 1;
}
namespace packet_field {
constexpr uint32_t timestamp = 8, sequence = 10, track_event = 11, interned_data = 12, sequence_flags = 13,
                   track_descriptor = 60;
}
namespace descriptor_field {
constexpr uint32_t track = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8, ordering = 11,
                   rank = 12;
}
namespace process_field {
constexpr uint32_t pid = 1, name = 6, labels = 8;
}
namespace thread_field {
constexpr uint32_t pid = 1, tid = 2, name = 5;
}
namespace event_field {
constexpr uint32_t arguments = 4, type = 9, name_number = 10, track = 11, name = 23, counter_value = 30,
                   flows = 47, ended_flows = 48;
}
namespace argument_field {
constexpr uint32_t name_number = 1, natural = 3, whole = 4, text = 6;
}
namespace interned_field {
constexpr uint32_t event_names = 2, argument_names = 3;
}
namespace interned_name_field {
constexpr uint32_t number = 1, name = 2;
}
enum TrackEventType : int32_t { slice_begin = 1, slice_end = 2, instant_event = 3, counter_event = 4 };
constexpr uint32_t state_cleared = 1, needs_state = 2;
constexpr int32_t explicit_order = 3;

constexpr uint32_t sequence_number = 1;

constexpr std::array<std::string_view, static_cast<size_t>(PerfettoArguments::Key::count)> argument_names = {
    "peer",     "tag",     "bytes",  "communicator", "posted",      "sent",    "received",   "root",
    "rank",     "members", "scope",  "turn",         "waited",      "cause",   "cause_time", "clock_bound",
    "function", "target",  "window", "file",         "transferred", "complete"};

// Names count from 1.
uint64_t number_of(PerfettoArguments::Key key) {
    return static_cast<uint64_t>(key) + 1;
}

void put(PacketWriter& interned, uint32_t field, uint64_t number, std::string_view name) {
    PacketWriter entry(interned, field);
    entry.add_uint64(interned_name_field::number, number);
    entry.add_string(interned_name_field::name, name.data(), name.size());
}

// Writes a packet: put(packet) adds its content.
template <class Put>
void add_packet(std::string& bytes, uint32_t flags, Put put) {
    PacketWriter trace(bytes);
    PacketWriter packet(trace, trace_field::packet);
    put(packet);
    packet.add_uint32(packet_field::sequence, sequence_number);
    packet.add_uint32(packet_field::sequence_flags, flags);
}

template <class Put>
void add_descriptor(std::string& bytes, PerfettoPackets::Track track, Put put) {
    add_packet(bytes, needs_state, [&](PacketWriter& packet) {
        PacketWriter descriptor(packet, packet_field::track_descriptor);
        descriptor.add_uint64(descriptor_field::track, track);
        put(descriptor);
    });
}

template <class Put>
void add_event(std::string& bytes, int64_t time, PerfettoPackets::Track track, TrackEventType type, Put put) {
    add_packet(bytes, needs_state, [&](PacketWriter& packet) {
        packet.add_uint64(packet_field::timestamp, static_cast<uint64_t>(time));
        PacketWriter event(packet, packet_field::track_event);
        event.add_enum(event_field::type, type);
        event.add_uint64(event_field::track, track);
        put(event);
    });
}

void put_child(PacketWriter& descriptor, const PerfettoPackets::Child& child) {
    descriptor.add_string(descriptor_field::name, child.name);
    descriptor.add_uint64(descriptor_field::parent, child.parent);
    descriptor.add_int64(descriptor_field::rank, child.rank);
}

void put_argument(PacketWriter& event, const PerfettoArguments::Argument& argument) {
    PacketWriter annotation(event, event_field::arguments);
    annotation.add_uint64(argument_field::name_number, number_of(argument.key));
    if (argument.kind == PerfettoArguments::ArgumentKind::whole)
        annotation.add_int64(argument_field::whole, std::bit_cast<int64_t>(argument.bits));
    else if (argument.kind == PerfettoArguments::ArgumentKind::natural)
        annotation.add_uint64(argument_field::natural, argument.bits);
    else
        annotation.add_string(argument_field::text, argument.text);
}

void put_content(PacketWriter& event, const PerfettoName& name, const PerfettoArguments& arguments,
                 PerfettoFlow flow) {
    if (name.number != 0)
        event.add_uint64(event_field::name_number, name.number);
    else
        event.add_string(event_field::name, name.text);
    for (const PerfettoArguments::Argument& argument : arguments.all()) put_argument(event, argument);
    const bool begins = flow.end == PerfettoFlow::End::begins;
    if (flow.number != 0)
        event.add_fixed64(begins ? event_field::flows : event_field::ended_flows, flow.number);
}

}  // namespace

std::string_view PerfettoArguments::name(Key key) {
    return argument_names[static_cast<size_t>(key)];
}
void PerfettoArguments::add(Key key, int64_t value) {
    all_.push_back({key, ArgumentKind::whole, std::bit_cast<uint64_t>(value), {}});
}
void PerfettoArguments::add(Key key, uint64_t value) {
    all_.push_back({key, ArgumentKind::natural, value, {}});
}
void PerfettoArguments::add(Key key, std::string text) {
    all_.push_back({key, ArgumentKind::text, 0, std::move(text)});
}

void PerfettoPackets::names(const PerfettoNames& names, Turn turn) {
    const bool is_first = turn == Turn::first;
    add_packet(bytes_, is_first ? state_cleared : needs_state, [&](PacketWriter& packet) {
        PacketWriter interned(packet, packet_field::interned_data);
        for (const auto& [number, name] : names) put(interned, interned_field::event_names, number, name);
        for (size_t key = 0; is_first && key < argument_names.size(); ++key)
            put(interned, interned_field::argument_names, key + 1, argument_names[key]);
    });
}

void PerfettoPackets::process(Track track, const Process& process) {
    add_descriptor(bytes_, track, [&](PacketWriter& descriptor) {
        descriptor.add_int64(descriptor_field::rank, process.number);
        PacketWriter content(descriptor, descriptor_field::process);
        content.add_int64(process_field::pid, process.number);
        content.add_string(process_field::name, process.name);
        content.add_string(process_field::labels, process.label);
    });
}

void PerfettoPackets::thread(Track track, const Thread& thread) {
    add_descriptor(bytes_, track, [&](PacketWriter& descriptor) {
        descriptor.add_enum(descriptor_field::ordering, explicit_order);
        descriptor.add_int64(descriptor_field::rank, thread.number);
        PacketWriter content(descriptor, descriptor_field::thread);
        content.add_int64(thread_field::pid, thread.process);
        content.add_int64(thread_field::tid, thread.number);
        content.add_string(thread_field::name, thread.name);
    });
}

void PerfettoPackets::child(Track track, const Child& child) {
    add_descriptor(bytes_, track, [&](PacketWriter& descriptor) { put_child(descriptor, child); });
}

void PerfettoPackets::counter(Track track, const Child& child) {
    add_descriptor(bytes_, track, [&](PacketWriter& descriptor) {
        put_child(descriptor, child);
        descriptor.add_message(descriptor_field::counter, "", 0);
    });
}

void PerfettoPackets::begin(int64_t time, Track track, const PerfettoName& name,
                            const PerfettoArguments& arguments, PerfettoFlow flow) {
    add_event(bytes_, time, track, slice_begin,
              [&](PacketWriter& event) { put_content(event, name, arguments, flow); });
}

void PerfettoPackets::end(int64_t time, Track track) {
    add_event(bytes_, time, track, slice_end, [](PacketWriter&) {});
}

void PerfettoPackets::instant(int64_t time, Track track, const PerfettoName& name,
                              const PerfettoArguments& arguments, PerfettoFlow flow) {
    add_event(bytes_, time, track, instant_event,
              [&](PacketWriter& event) { put_content(event, name, arguments, flow); });
}

void PerfettoPackets::count(int64_t time, Track track, int64_t value) {
    add_event(bytes_, time, track, counter_event,
              [&](PacketWriter& event) { event.add_int64(event_field::counter_value, value); });
}

}  // namespace ovni
