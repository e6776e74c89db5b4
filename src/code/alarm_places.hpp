// Finds the places in loaded files that alarms wait for: functions by their names, addresses, markers.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "code/elf_image.hpp"
#include "code/sites.hpp"
#include "ovni/private.h"

namespace ovni::code {

struct AlarmPlace {
    std::set<uint16_t> alarms, exits;
    bool is_function = false;
    bool is_refused = false;  // the C library runs it with all signals blocked
    Marker marker = Marker::none;
    uint32_t immediate = 0;
};
using AlarmPlaces = std::map<uintptr_t, AlarmPlace>;

class AlarmSearch {
 public:
    using Alarm = ovni_private_code_alarm;
    explicit AlarmSearch(std::span<const Alarm> alarms)
        : alarms_(alarms.begin(), alarms.end()), best_(alarms.size(), Fit::none) {}

    const std::vector<Alarm>& alarms() const { return alarms_; }
    bool waits_for(int kind) const;
    // first: the files loaded at the program's start; late: those loaded by dlopen().
    enum class Files : uint8_t { first, late };
    AlarmPlaces find_in(const std::vector<const ElfImage*>& images, Files when);
    // Warns about functions that no loaded file has; a library that is loaded later may have them. Only the
    // process that ovnirun started prints it, in the first rank of a job.
    void warn_about_unknown_functions(const std::vector<ElfImage>& images) const;

 private:
    // How well a symbol matches a name: only an alarm's best matches become places.
    enum class Fit : uint8_t { symbol, whole_name, bare_name, none };

    static Fit fit_of(const Alarm& alarm, std::string_view symbol, const std::string& whole,
                      const std::string& bare);
    void add_functions(const std::vector<const ElfImage*>& images, Files when, AlarmPlaces& places);
    void add_addresses(const ElfImage& image, AlarmPlaces& places) const;
    void add_markers(const ElfImage& image, AlarmPlaces& places) const;
    bool is_awaited_ssc(uint32_t immediate) const;

    std::vector<Alarm> alarms_;
    std::vector<Fit> best_;  // best match so far, by alarm
};

}  // namespace ovni::code
