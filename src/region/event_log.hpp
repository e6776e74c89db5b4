// The log of fired events, one line each, with tabs between the columns:
//
//     clock   rank or -   pid   number of the thread   event   bcast or -   cause   outcome   code or -
//
// The last column is the next instruction, as FILE+0xOFFSET, if code of the program fired the event. A line
// is one write to the end of the file, so processes may share it; %r and %p in its name are rank and pid.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "region/engine.hpp"
#include "ring/own_file.hpp"
#include "runtime/guard.hpp"

namespace ovni::region {

enum class Outcome : uint8_t {
    done,
    was_so,   // no effect
    ignored,  // came during another change, or recording cannot be changed
    wished    // a wish on which the ranks of the job have to agree
};

const char* name_of(Outcome outcome) noexcept;

struct LogLine {
    uint64_t clock = 0;
    Firing firing{};
    std::string_view cause;
    Outcome outcome = Outcome::done;
    uint64_t address = 0;  // of the next instruction; 0: not known
};

class EventLog {
 public:
    constexpr EventLog() = default;

    // Call before any line. Empty: no log. A relative name is in the current working directory.
    void set_name(const std::string& name, std::optional<uint32_t> rank);
    // The descriptor table of the calling thread.
    enum class Descriptors : uint8_t { of_program, of_service };
    // `at_once`: in a handler that interrupted a slow path of the library, so the line may be lost.
    enum class Urgency : uint8_t { usual, at_once };
    // Call inside a SlowPath.
    void write(const LogLine& line, Descriptors descriptors, Urgency urgency) noexcept;
    void start_over_in_child() noexcept;

 private:
    bool open(writer::OwnFile& file) noexcept;

    struct Name {
        std::string directory, file;
    };
    // Optional, as clang 16 accepts no std::string in an object that is constinit.
    std::optional<Name> name_;
    std::optional<uint32_t> rank_;
    writer::Mutex mutex_;
    std::array<std::optional<writer::OwnFile>, 2> files_;  // by Descriptors
};

}  // namespace ovni::region
