// From the alarms of --control to sites in the program's code. All that is loaded is looked through once,
// before the program begins, and what dlopen() brings is looked through before its own code runs.
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <pthread.h>
#include <ucontext.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>

#include "code/call_frames.hpp"
#include "code/code_scan.hpp"
#include "code/elf_image.hpp"
#include "code/function_names.hpp"
#include "code/program_jumps.hpp"
#include "code/program_signals.hpp"
#include "code/program_spawns.hpp"
#include "code/sites.hpp"
#include "code/written_code.hpp"
#include "ovni/private.h"

namespace ovni::code {

namespace {

using Alarm = ovni_private_code_alarm;

// How well a symbol fits a name: only the best fits of an alarm become sites.
enum class Fit : uint8_t { symbol, whole_name, bare_name, none };

Fit fit_of(const Alarm& alarm, std::string_view symbol, const std::string& whole, const std::string& bare) {
    const bool is_address = alarm.kind == OVNI_PRIVATE_CODE_FUNCTION;
    if (is_address && symbol == alarm.text) return Fit::symbol;
    if (is_address && whole == alarm.text) return Fit::whole_name;
    return bare == alarm.text ? Fit::bare_name : Fit::none;
}

// These are of the calling thread.
constinit thread_local bool is_reporting = false;
constinit thread_local CallFrames call_frames;

// Functions that the C library calls where threads begin and end, with all signals blocked: the system would
// end the program at a site.
bool runs_with_signals_blocked(const char* symbol) {
    static constexpr std::string_view all[] = {"madvise",  "__madvise",    "clone",  "__clone", "clone3",
                                               "__clone3", "start_thread", "munmap", "__munmap"};
    return std::ranges::find(all, std::string_view(symbol)) != std::end(all);
}

class CodeAlarms {
 public:
    void begin(const Alarm* alarms, size_t count) {
        alarms_.assign(alarms, alarms + count);
        best_.assign(count, Fit::none);
        if (!take_over_traps(on_trap)) return;
        prepare_synchronization();
        // The work here comes to the first sites.
        is_reporting = true;
        look_at_images();
        watch_loader();
        if (waits_for(OVNI_PRIVATE_CODE_EXIT)) follow_jumps(unwound);
        ovni_private_follow_arming(armed);
        follow_spawning(spawning);
        is_reporting = false;
    }

 private:
    struct Place {
        std::set<uint16_t> alarms, exits;
        bool is_function = false;
        Marker marker = Marker::none;
        uint32_t immediate = 0;
    };
    using Places = std::map<uintptr_t, Place>;
    struct Found {
        uintptr_t address;
        Fit fit;
    };

    bool waits_for(int kind) const {
        return std::ranges::any_of(alarms_, [&](const Alarm& alarm) { return alarm.kind == kind; });
    }

    // A function that is chosen for this processor may lie anywhere. What dlopen() brings has not chosen yet.
    uintptr_t address_of(const Function& function) const {
        if (!function.is_chosen) return function.address;
        if (!images_.empty()) return 0;
        const std::string name(function.symbol, strcspn(function.symbol, "@"));
        return reinterpret_cast<uintptr_t>(::dlsym(RTLD_DEFAULT, name.c_str()));
    }

    // Files are opened here, and a thread must not be cancelled in the middle of it.
    void look_at_images() {
        int state = 0;
        ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
        look_at_new_images();
        ::pthread_setcancelstate(state, nullptr);
    }

    void look_at_new_images() {
        std::vector<ElfImage> now = loaded_images();
        auto is_in = [](const std::vector<ElfImage>& images, const ElfImage& wanted) {
            return std::ranges::any_of(images, [&](const ElfImage& image) {
                return image.path == wanted.path && image.bias == wanted.bias;
            });
        };
        for (const ElfImage& image : images_)
            if (!is_in(now, image)) sites_.forget(image);
        Places places;
        std::vector<const ElfImage*> added;
        for (const ElfImage& image : now)
            if (!is_in(images_, image)) added.push_back(&image);
        add_functions(added, places);
        for (const ElfImage* image : added) {
            add_addresses(*image, places);
            add_markers(*image, places);
        }
        plant(places);
        images_ = std::move(now);
    }

    void add_functions(const std::vector<const ElfImage*>& images, Places& places) {
        if (std::ranges::none_of(alarms_, is_of_function)) return;
        std::vector<std::vector<Found>> found(alarms_.size());
        for (const ElfImage* image : images)
            for_each_function(*image, [&](const Function& function) {
                if (is_fragment(function.symbol) || !image->holds(function.address)) return;
                const bool is_refused = image->is_c_library() && runs_with_signals_blocked(function.symbol);
                const std::string_view symbol = plain_symbol(function.symbol);
                const std::string whole = demangled(symbol), bare = bare_name(whole);
                for (size_t i = 0; i < alarms_.size(); ++i) {
                    if (!is_of_function(alarms_[i])) continue;
                    const Fit fit = fit_of(alarms_[i], symbol, whole, bare);
                    const uintptr_t address = fit == Fit::none ? 0 : address_of(function);
                    if (address != 0 && is_refused) tell_missing(address, "it runs with all signals blocked");
                    if (address != 0 && !is_refused) found[i].push_back({address, fit});
                }
            });
        for (size_t i = 0; i < alarms_.size(); ++i) {
            for (const Found& function : found[i]) best_[i] = std::min(best_[i], function.fit);
            for (const Found& function : found[i])
                if (function.fit == best_[i]) add_function(alarms_[i], places[function.address]);
        }
    }

    static bool is_of_function(const Alarm& alarm) {
        return alarm.kind == OVNI_PRIVATE_CODE_FUNCTION || alarm.kind == OVNI_PRIVATE_CODE_ENTRY ||
               alarm.kind == OVNI_PRIVATE_CODE_EXIT;
    }

    static void add_function(const Alarm& alarm, Place& place) {
        place.is_function = true;
        (alarm.kind == OVNI_PRIVATE_CODE_EXIT ? place.exits : place.alarms).insert(alarm.number);
    }

    void add_addresses(const ElfImage& image, Places& places) const {
        for (const Alarm& alarm : alarms_) {
            uintptr_t address = alarm.value;
            if (alarm.kind == OVNI_PRIVATE_CODE_IN_IMAGE && image.is_named(alarm.text))
                address += image.lowest;
            else if (alarm.kind != OVNI_PRIVATE_CODE_PC)
                continue;
            if (image.holds(address)) places[address].alarms.insert(alarm.number);
        }
    }

    void add_markers(const ElfImage& image, Places& places) const {
        const bool are_wanted[] = {false, waits_for(OVNI_PRIVATE_CODE_SSC),
                                   waits_for(OVNI_PRIVATE_CODE_MAGIC), waits_for(OVNI_PRIVATE_CODE_CPUID)};
        if (std::ranges::none_of(are_wanted, [](bool is_wanted) { return is_wanted; })) return;
        for_each_marker(image, [&](uintptr_t address, Marker marker, uint32_t immediate) {
            if (!are_wanted[static_cast<size_t>(marker)]) return;
            if (marker == Marker::ssc && !is_awaited_ssc(immediate)) return;
            places[address].marker = marker;
            places[address].immediate = immediate;
        });
    }

    bool is_awaited_ssc(uint32_t immediate) const {
        return std::ranges::any_of(alarms_, [&](const Alarm& alarm) {
            return alarm.kind == OVNI_PRIVATE_CODE_SSC && alarm.value == immediate;
        });
    }

    void plant(const Places& places) {
        for (const auto& [address, place] : places) {
            Site site;
            site.address = address;
            site.alarms = kept(place.alarms);
            site.exits = kept(place.exits);
            site.marker = place.marker;
            site.is_function = place.is_function;
            site.is_in_c_library = is_in_c_library(address);
            site.immediate = place.immediate;
            tell_if_missing(sites_.plant(site), address);
        }
        synchronize_code();
    }

    // Sites live as long as the process, and so do the lists of their alarms.
    static std::span<const uint16_t> kept(const std::set<uint16_t>& alarms) {
        if (alarms.empty()) return {};
        auto* list = new uint16_t[alarms.size()];
        std::ranges::copy(alarms, list);
        return {list, alarms.size()};
    }

    // One line for all sites.
    void tell_if_missing(Sites::Planted planted, uintptr_t address) {
        using enum Sites::Planted;
        if (planted == yes || planted == was_there) return;
        tell_missing(address, planted == no_room   ? "there are more than 65536 places"
                              : planted == refused ? "the system refuses to change code"
                                                   : "the instruction there cannot be moved");
    }
    void tell_missing(uintptr_t address, const char* cause) {
        if (is_told_) return;
        is_told_ = true;
        char line[160];
        const int size =
            snprintf(line, sizeof line, "WARN: --control: no alarm at 0x%zx: %s\n", address, cause);
        ovni_private_print(line, static_cast<size_t>(size));
    }

    // The dynamic loader calls this function of its own, which does nothing, for debuggers: when an object
    // has been mapped, before its constructors run.
    void watch_loader() {
        loader_ = loader_state();
        if (loader_ == nullptr || loader_->r_brk == 0) return;
        Site site;
        site.address = loader_->r_brk;
        sites_.plant(site);
        synchronize_code();
    }
    static const r_debug* loader_state() {
        for (const ElfW(Dyn)* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry)
            if (entry->d_tag == DT_DEBUG) return reinterpret_cast<const r_debug*>(entry->d_un.d_ptr);
        return &_r_debug;
    }

    void hit(const Site& site, const greg_t* registers) {
        if (loader_ != nullptr && site.address == loader_->r_brk) {
            if (loader_->r_state == r_debug::RT_CONSISTENT) look_at_images();
            return;
        }
        if (site.is_function && is_called_by_tracer(static_cast<uintptr_t>(registers[REG_RSP]))) return;
        if (!call_frames.is_empty())
            call_frames.return_to(site.address, static_cast<uintptr_t>(registers[REG_RSP]), ended);
        if (!site.alarms.empty()) ovni_private_hit_site(site.alarms.data(), site.alarms.size());
        lift_if_idle(site);
        if (!site.exits.empty()) await_end(site, static_cast<uintptr_t>(registers[REG_RSP]));
        const auto low = [&](int which) { return static_cast<uint32_t>(registers[which]); };
        constexpr uint32_t magic_command = 4;
        if (site.marker == Marker::ssc)
            ovni_private_hit_code(OVNI_PRIVATE_CODE_SSC, site.immediate, 0);
        else if (site.marker == Marker::magic && low(REG_RAX) == magic_command)
            ovni_private_hit_code(OVNI_PRIVATE_CODE_MAGIC, uint64_t{low(REG_RBX)} << 32 | low(REG_RCX), 0);
        else if (site.marker == Marker::cpuid)
            ovni_private_hit_code(OVNI_PRIVATE_CODE_CPUID, low(REG_RAX), low(REG_RCX));
    }

    // A site costs nothing while nothing waits for it. Functions whose end is awaited are followed all the
    // time, as their calls may begin earlier; markers are rare.
    void lift_if_idle(const Site& site) {
        if (site.alarms.empty() || !site.exits.empty() || site.marker != Marker::none) return;
        if (ovni_private_site_is_armed(site.alarms.data(), site.alarms.size())) return;
        sites_.lift(site);
        if (ovni_private_site_is_armed(site.alarms.data(), site.alarms.size())) sites_.put_back(site);
    }

    static void armed(uint16_t alarm);

    // The return address of the call becomes a site.
    void await_end(const Site& function, uintptr_t stack_pointer) {
        Site site;
        site.address = call_frames.begin(function, stack_pointer, ended);
        if (site.address == 0 || !is_in_image(site.address) || is_end_of_handler(site.address)) return;
        site.is_in_c_library = is_in_c_library(site.address);
        const Sites::Planted planted = sites_.plant(site);
        if (planted == Sites::Planted::yes) synchronize_code();
        tell_if_missing(planted, site.address);
    }

    static void ended(const Site& function) {
        ovni_private_hit_site(function.exits.data(), function.exits.size());
    }

    // The word in place of a return address may be anything where the program begins.
    static bool is_in_image(uintptr_t address) {
        dl_find_object found{};
        return ::_dl_find_object(reinterpret_cast<void*>(address), &found) == 0;
    }

    template <class Function>
    static bool are_in_one_image(uintptr_t address, Function* function) {
        dl_find_object found{}, of_function{};
        return ::_dl_find_object(reinterpret_cast<void*>(address), &found) == 0 &&
               ::_dl_find_object(reinterpret_cast<void*>(function), &of_function) == 0 &&
               found.dlfo_map_start == of_function.dlfo_map_start;
    }
    static bool is_in_c_library(uintptr_t address) {
        return are_in_one_image(address, ::gnu_get_libc_version);
    }

    // A function of the C library, at its beginning.
    static bool is_called_by_tracer(uintptr_t stack_pointer) {
        const uintptr_t back = *reinterpret_cast<const uintptr_t*>(stack_pointer);
        return are_in_one_image(back, ::ovni_private_hit_site) || are_in_one_image(back, on_trap);
    }

    // The system calls a handler of the program so that it returns to mov $15, %rax; syscall. Unwinding knows
    // that place by its bytes.
    static bool is_end_of_handler(uintptr_t address) {
        constexpr uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
        return memcmp(reinterpret_cast<const void*>(address), sigreturn, sizeof sigreturn) == 0;
    }

    static void unwound(uintptr_t stack_pointer);
    static void spawning(bool begins);
    static void on_trap(int signal, siginfo_t* info, void* context);

    std::vector<Alarm> alarms_;
    std::vector<Fit> best_;  // that symbols of the alarm have
    std::vector<ElfImage> images_;
    Sites sites_;
    const r_debug* loader_ = nullptr;
    bool is_told_ = false;
};

// Never destroyed: sites may be hit until the process is gone.
CodeAlarms* code_alarms;

// A chain may arm an alarm in its last step, in any thread.
void CodeAlarms::armed(uint16_t alarm) {
    code_alarms->sites_.put_back(alarm);
    synchronize_code();
}

// The child that posix_spawn() makes runs functions of the C library with all signals blocked.
void CodeAlarms::spawning(bool begins) {
    code_alarms->sites_.rest_in_c_library(begins);
    if (!begins) synchronize_code();
}

void CodeAlarms::unwound(uintptr_t stack_pointer) {
    if (is_reporting || call_frames.is_empty()) return;
    const int saved = errno;
    is_reporting = true;
    call_frames.unwind_to(stack_pointer, ended);
    is_reporting = false;
    errno = saved;
}

void CodeAlarms::on_trap(int signal, siginfo_t* info, void* context) {
    const int saved = errno;
    greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    const auto behind = static_cast<uintptr_t>(registers[REG_RIP]);
    const bool is_int3 = info->si_code == SI_KERNEL;
    const Site* site = is_int3 ? code_alarms->sites_.find(behind - 1) : nullptr;
    if (site != nullptr) {
        registers[REG_RIP] = static_cast<greg_t>(site->copy);
        // Sites that the report itself comes to are not reported.
        if (!is_reporting) {
            is_reporting = true;
            code_alarms->hit(*site, registers);
            is_reporting = false;
        }
    } else if (is_int3 && code_alarms->waits_for(OVNI_PRIVATE_CODE_INT3)) {
        ovni_private_hit_code(OVNI_PRIVATE_CODE_INT3, 0, 0);
    } else {
        pass_trap_to_program(signal, info, context);
    }
    errno = saved;
}

[[gnu::constructor]] void begin() {
    const Alarm* alarms = nullptr;
    const size_t count = ovni_private_code_alarms(&alarms);
    if (count == 0) return;
    code_alarms = new CodeAlarms;
    code_alarms->begin(alarms, count);
}

}  // namespace

}  // namespace ovni::code
