#include "code/alarm_places.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "code/code_scan.hpp"
#include "code/function_list.hpp"
#include "code/function_names.hpp"
#include "core/launcher.hpp"

namespace ovni::code {

namespace {

using Alarm = AlarmSearch::Alarm;

// Functions that the C library calls with all signals blocked, as where threads begin and end: the system
// would end the program at a trap.
bool runs_with_signals_blocked(std::string_view symbol) {
    static constexpr std::string_view all[] = {"__clone",
                                               "__clone3",
                                               "__clone_internal",
                                               "__ctype_init",
                                               "__getpid",
                                               "__getpagesize",
                                               "__lll_lock_wait_private",
                                               "__lll_lock_wake_private",
                                               "__madvise",
                                               "__munmap",
                                               "__nptl_deallocate_stack",
                                               "__nptl_free_tcb",
                                               "__sigjmp_save",
                                               "__sigsetjmp",
                                               "_setjmp",
                                               "create_thread",
                                               "getpagesize",
                                               "start_thread"};
    return std::ranges::find(all, symbol) != std::end(all);
}

// Their addresses, as one function may have several names.
std::set<uintptr_t> functions_with_signals_blocked(const ElfImage& image) {
    std::set<uintptr_t> addresses;
    if (!image.is_c_library()) return addresses;
    for_each_function(image, [&](const Function& function) {
        const std::string_view symbol = plain_symbol(function.symbol);
        for (const char* prefix : {"", "__"})
            if (runs_with_signals_blocked(std::string(prefix).append(symbol)))
                addresses.insert(function.address);
    });
    return addresses;
}

bool is_of_function(const Alarm& alarm) {
    return alarm.kind == OVNI_PRIVATE_CODE_FUNCTION || alarm.kind == OVNI_PRIVATE_CODE_ENTRY ||
           alarm.kind == OVNI_PRIVATE_CODE_EXIT;
}

void add_function(const Alarm& alarm, AlarmPlace& place) {
    place.is_function = true;
    (alarm.kind == OVNI_PRIVATE_CODE_EXIT ? place.exits : place.alarms).insert(alarm.number);
}

// A function that is chosen for this processor may lie anywhere. What dlopen() brings has not chosen yet.
uintptr_t address_of(const Function& function, AlarmSearch::Files when) {
    if (!function.is_chosen) return function.address;
    if (when == AlarmSearch::Files::late) return 0;
    const std::string name(function.symbol, strcspn(function.symbol, "@"));
    return reinterpret_cast<uintptr_t>(::dlsym(RTLD_DEFAULT, name.c_str()));
}

}  // namespace

AlarmSearch::Fit AlarmSearch::fit_of(const Alarm& alarm, std::string_view symbol, const std::string& whole,
                                     const std::string& bare) {
    const bool is_address = alarm.kind == OVNI_PRIVATE_CODE_FUNCTION;
    // Fortran puts a _ behind the name: that one counts as much as a local function of the C library.
    const bool is_symbol = symbol == alarm.text || (symbol.ends_with('_') && bare == alarm.text);
    if (is_address && is_symbol) return Fit::symbol;
    if (is_address && whole == alarm.text) return Fit::whole_name;
    return bare == alarm.text ? Fit::bare_name : Fit::none;
}

bool AlarmSearch::waits_for(int kind) const {
    return std::ranges::any_of(alarms_, [&](const Alarm& alarm) { return alarm.kind == kind; });
}

AlarmPlaces AlarmSearch::find_in(const std::vector<const ElfImage*>& images, Files when) {
    AlarmPlaces places;
    add_functions(images, when, places);
    for (const ElfImage* image : images) {
        add_addresses(*image, places);
        add_markers(*image, places);
    }
    return places;
}

void AlarmSearch::add_functions(const std::vector<const ElfImage*>& images, Files when, AlarmPlaces& places) {
    if (std::ranges::none_of(alarms_, is_of_function)) return;
    struct Found {
        uintptr_t address;
        Fit fit;
        bool is_refused;
    };
    std::vector<std::vector<Found>> found(alarms_.size());
    for (const ElfImage* image : images) {
        const std::set<uintptr_t> refused = functions_with_signals_blocked(*image);
        for_each_function(*image, [&](const Function& function) {
            if (is_fragment(function.symbol) || !image->holds(function.address)) return;
            const std::string_view symbol = plain_symbol(function.symbol);
            const std::string whole = demangled(symbol), bare = bare_name(whole);
            for (size_t i = 0; i < alarms_.size(); ++i) {
                if (!is_of_function(alarms_[i])) continue;
                const Fit fit = fit_of(alarms_[i], symbol, whole, bare);
                const uintptr_t address = fit == Fit::none ? 0 : address_of(function, when);
                if (address != 0) found[i].push_back({address, fit, refused.contains(address)});
            }
        });
    }
    for (size_t i = 0; i < alarms_.size(); ++i) {
        for (const Found& function : found[i]) best_[i] = std::min(best_[i], function.fit);
        for (const Found& function : found[i]) {
            if (function.fit != best_[i]) continue;
            AlarmPlace& place = places[function.address];
            place.is_refused = function.is_refused;
            add_function(alarms_[i], place);
        }
    }
}

void AlarmSearch::warn_about_unknown_functions(const std::vector<ElfImage>& images) const {
    if (!is_first_rank() || !ovni_private_is_first_process()) return;
    for (size_t i = 0; i < alarms_.size(); ++i) {
        if (!is_of_function(alarms_[i]) || best_[i] != Fit::none) continue;
        const std::string name = alarms_[i].text, nearest = nearest_functions(images, name);
        const std::string line = "WARN: --control: no function is named '" + name + "'" +
                                 (nearest.empty() ? "" : " (did you mean " + nearest + "?)") +
                                 "; libraries that are loaded later may have one, and ovnirun "
                                 "--list-functions PATTERN prints those that there are\n";
        ovni_private_print(line.data(), line.size());
    }
}

void AlarmSearch::add_addresses(const ElfImage& image, AlarmPlaces& places) const {
    for (const Alarm& alarm : alarms_) {
        uintptr_t address = alarm.value;
        if (alarm.kind == OVNI_PRIVATE_CODE_IN_IMAGE && image.is_named(alarm.text))
            address += image.lowest;
        else if (alarm.kind != OVNI_PRIVATE_CODE_PC)
            continue;
        if (image.holds(address)) places[address].alarms.insert(alarm.number);
    }
}

void AlarmSearch::add_markers(const ElfImage& image, AlarmPlaces& places) const {
    const bool are_wanted[] = {false, waits_for(OVNI_PRIVATE_CODE_SSC), waits_for(OVNI_PRIVATE_CODE_MAGIC),
                               waits_for(OVNI_PRIVATE_CODE_CPUID)};
    if (std::ranges::none_of(are_wanted, [](bool is_wanted) { return is_wanted; })) return;
    for_each_marker(image, [&](uintptr_t address, Marker marker, uint32_t immediate) {
        if (!are_wanted[static_cast<size_t>(marker)]) return;
        if (marker == Marker::ssc && !is_awaited_ssc(immediate)) return;
        places[address].marker = marker;
        places[address].immediate = immediate;
    });
}

bool AlarmSearch::is_awaited_ssc(uint32_t immediate) const {
    return std::ranges::any_of(alarms_, [&](const Alarm& alarm) {
        return alarm.kind == OVNI_PRIVATE_CODE_SSC && alarm.value == immediate;
    });
}

}  // namespace ovni::code
