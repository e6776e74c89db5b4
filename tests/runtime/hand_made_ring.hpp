// A ring as a program would leave it, made by hand: what drainers do with it, at every point where one may
// die.
#pragma once

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "drain/drained_stream.hpp"
#include "ovni/emit.hpp"
#include "ring/posix_io.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace ovni::test {

struct HandMadeRing {
    static constexpr const char* place = "/loom.a/proc.1/thread.1";

    explicit HandMadeRing(const std::filesystem::path& home, bool uses_temporary = false)
        : path(home / "ring"), trace(home / "ovni"), temporary(home / "tmp") {
        ring = writer::Ring::create(path, size_t{1} << 18);
        writer::RingHeader& header = ring.header();
        header.pid = getpid();
        writer::ProcessId self = writer::own_process_id();
        header.process_start = self.start;
        header.pid_space = self.space;
        header.place = writer::RingPlace::settled;
        header.generation = 1;
        header.state = writer::RingState::open;
        writer::StreamNote note{
            {trace, uses_temporary ? temporary.string() : ""}, place, writer::Json::object()};
        note.metadata["ovni"]["tid"] = 1;
        writer::replace_file(path.string() + ".json", note.text());
    }

    void put(EventCode code, uint64_t clock) {
        writer::Event event = writer::make_event(code, clock);
        uint64_t at = ring.header().published;
        for (uint32_t i = 0; i < event.size; ++i) *ring.at(at + i) = event.bytes[i];
        ring.header().published = at + event.size;
    }
    // The event is of a handler that interrupted the emission of the event that follows.
    void put_nested(EventCode code, uint64_t clock) {
        writer::Event event = writer::make_event(code, clock);
        writer::NestedRing& nested = ring.header().nested[0];
        uint64_t position = ring.header().published, at = nested.published;
        uint8_t* data = ring.nested_data(0);
        memcpy(data + at, &position, sizeof position);
        memcpy(data + at + sizeof position, event.bytes, event.size);
        nested.published = at + sizeof position + event.size;
    }
    void lose_nested(uint64_t clock) {
        writer::NestedRing& nested = ring.header().nested[0];
        if (nested.lost == nested.lost_recorded) {
            nested.lost_from = clock;
            nested.lost_at = ring.header().published.load();
        }
        ++nested.lost;
    }
    void note_gap(uint64_t from, uint64_t to, uint64_t lost) {
        writer::RingHeader& header = ring.header();
        header.notes[header.notes_added % writer::RingHeader::most_notes] = {header.published, from, to, lost,
                                                                             "test"};
        ++header.notes_added;
    }
    // A drainer that has just come.
    std::unique_ptr<writer::DrainedStream> drainer() {
        return std::make_unique<writer::DrainedStream>(writer::Ring::open(path), path.string() + ".json",
                                                       std::make_shared<uint64_t>(0), ended, packer);
    }
    RecordedStream recorded() const { return RecordedStream(trace.string() + place); }

    std::filesystem::path path, trace, temporary;
    writer::Ring ring;
    writer::EndedStreams ended;
    writer::StreamPacker packer;
};

}  // namespace ovni::test
