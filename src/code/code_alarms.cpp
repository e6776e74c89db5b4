// The alarms of --control at work: sites in all that is loaded before the program begins, and in what
// dlopen() brings before its own code runs, and their hits.
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>

#include "code/alarm_places.hpp"
#include "code/cache/thread_context.hpp"
#include "code/cache/translated_threads.hpp"
#include "code/elf_image.hpp"
#include "code/function_list.hpp"
#include "code/own_hits.hpp"
#include "code/own_stack.hpp"
#include "code/patched_hit.hpp"
#include "code/program/jumps.hpp"
#include "code/program/spawns.hpp"
#include "code/sites.hpp"
#include "code/traps.hpp"
#include "code/written_code.hpp"
#include "core/cancellation_waits.hpp"
#include "ovni/private.h"

namespace ovni::code {

namespace {

using CodeAlarm = ovni_private_code_alarm;

Registers registers_in(const Site& site, const PatchedFrame& frame) {
    constexpr unsigned overflow_flag = 11;
    constexpr uint64_t flags_of_byte = 0xd5, always = 0x202;
    const uint64_t flags = (frame.flags >> 8 & flags_of_byte) | (frame.flags & 1) << overflow_flag | always;
    return {frame.rax, frame.rcx,   frame.rdx, frame.rbx,
            frame.rbp, frame.rsi,   frame.rdi, frame.r8,
            frame.r9,  frame.r10,   frame.r11, frame.r12,
            frame.r13, frame.r14,   frame.r15, reinterpret_cast<uint64_t>(&frame + 1),
            flags,     site.address};
}

// As programs that are not position-independent do.
bool program_lies_low() {
    constexpr uintptr_t low = uintptr_t{1} << 32;
    dl_find_object found{};
    const uintptr_t entry = ::getauxval(AT_ENTRY);
    return ::_dl_find_object(reinterpret_cast<void*>(entry), &found) == 0 && entry < low;
}

// The directory of a process has two links, and one for each thread.
bool is_only_thread() {
    struct stat threads {};
    return ::stat("/proc/self/task", &threads) == 0 && threads.st_nlink == 3;
}

class CodeAlarms {
 public:
    explicit CodeAlarms(std::span<const CodeAlarm> alarms) : search_(alarms) {}

    void begin() {
        if (!handle_traps(sites_, report, search_.waits_for(OVNI_PRIVATE_CODE_INT3))) return;
        // In translated code the program's handlers of SIGILL run translated, too, and the system must call
        // them.
        if (program_lies_low() && std::ranges::none_of(search_.alarms(), needs_translation) &&
            handle_illegal_instructions())
            sites_.use_illegal_instructions();
        prepare_synchronization();
        prepare_patched_hits(report_patched);
        // The work here comes to the first sites.
        own_hits.is_reporting = true;
        look_at_images();
        search_.warn_about_unknown_functions(images_);
        watch_loader();
        if (search_.waits_for(OVNI_PRIVATE_CODE_EXIT)) follow_jumps(unwound);
        ovni_private_follow_arming(armed);
        ovni_private_follow_registers([] { return shown_registers; });
        follow_spawning(spawning);
        ovni_private_follow_fork(forked);
        prepare_translation(search_.alarms(), sites_, report);
        own_hits.is_reporting = false;
    }

 private:
    // Files are opened here, and a thread must not be cancelled in the middle of it.
    void look_at_images() {
        const CancellationWaits until_done;
        look_at_new_images();
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
        std::vector<const ElfImage*> added;
        for (const ElfImage& image : now)
            if (!is_in(images_, image)) added.push_back(&image);
        const auto when = images_.empty() ? AlarmSearch::Files::first : AlarmSearch::Files::late;
        const AlarmPlaces places = search_.find_in(added, when);
        // Constructors of libraries may have made threads before this one began.
        const bool may_run = when == AlarmSearch::Files::first && !is_only_thread();
        plant(places, may_run ? Sites::Code::may_run : Sites::Code::does_not_run);
        images_ = std::move(now);
    }

    void plant(const AlarmPlaces& places, Sites::Code code) {
        for (const auto& [address, place] : places) {
            if (place.is_refused) {
                report_missing(address, "it runs with all signals blocked");
                continue;
            }
            Site site;
            site.address = address;
            site.alarms = kept(place.alarms);
            site.exits = kept(place.exits);
            site.marker = place.marker;
            site.is_function = place.is_function;
            site.is_in_c_library = is_in_c_library(address);
            site.immediate = place.immediate;
            plant(site, code);
        }
        synchronize_code();
    }

    bool plant(const Site& site, Sites::Code code = Sites::Code::may_run) {
        const bool is_refused = is_end_of_handler(site.address);
        if (is_refused) report_missing(site.address, "our own handler returns there");
        if (is_refused) return false;
        const Sites::Planted planted = sites_.plant(site, code);
        if (planted == Sites::Planted::yes) forget_translation(site.address);
        report_if_missing(planted, site.address);
        return planted == Sites::Planted::yes;
    }

    // Sites live as long as the process, and so do the lists of their alarms.
    static std::span<const uint16_t> kept(const std::set<uint16_t>& alarms) {
        if (alarms.empty()) return {};
        auto* list = new uint16_t[alarms.size()];
        std::ranges::copy(alarms, list);
        return {list, alarms.size()};
    }

    // One line for all sites.
    void report_if_missing(Sites::Planted planted, uintptr_t address) {
        using enum Sites::Planted;
        if (planted == yes || planted == was_there) return;
        report_missing(address, planted == no_room   ? "there are more than 65536 places"
                                : planted == refused ? "the system refuses to change code"
                                                     : "the instruction there cannot be moved");
    }
    void report_missing(uintptr_t address, const char* cause) {
        if (is_reported_) return;
        is_reported_ = true;
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
        site.stays_trap = true;
        sites_.plant(site);
        synchronize_code();
    }
    static const r_debug* loader_state() {
        for (const ElfW(Dyn)* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry)
            if (entry->d_tag == DT_DEBUG) return reinterpret_cast<const r_debug*>(entry->d_un.d_ptr);
        return &_r_debug;
    }

    void hit(const Site& site, const Registers& registers) {
        if (loader_ != nullptr && site.address == loader_->r_brk) {
            if (loader_->r_state == r_debug::RT_CONSISTENT) look_at_images();
            return;
        }
        if (site.is_function && is_called_by_tracer(registers.rsp)) return;
        if (!own_hits.frames.is_empty()) own_hits.frames.return_to(site.address, registers.rsp, ended);
        if (!site.alarms.empty()) ovni_private_hit_site(site.alarms.data(), site.alarms.size());
        lift_if_idle(site);
        if (!site.exits.empty()) await_end(site, registers.rsp);
        const auto low = [](uint64_t value) { return static_cast<uint32_t>(value); };
        constexpr uint32_t magic_command = 4;
        if (site.marker == Marker::ssc)
            ovni_private_hit_code(OVNI_PRIVATE_CODE_SSC, site.immediate, 0);
        else if (site.marker == Marker::magic && low(registers.rax) == magic_command)
            ovni_private_hit_code(OVNI_PRIVATE_CODE_MAGIC,
                                  uint64_t{low(registers.rbx)} << 32 | low(registers.rcx), 0);
        else if (site.marker == Marker::cpuid)
            ovni_private_hit_code(OVNI_PRIVATE_CODE_CPUID, low(registers.rax), low(registers.rcx));
    }

    // A site costs nothing while nothing waits for it. Functions whose end is awaited are followed all the
    // time, as their calls may begin earlier; markers are rare.
    void lift_if_idle(const Site& site) {
        if (site.alarms.empty() || !site.exits.empty() || site.marker != Marker::none) return;
        if (is_idle(site)) sites_.lift_if(site, is_idle);
    }
    static bool is_idle(const Site& site) {
        return ovni_private_site_is_armed(site.alarms.data(), site.alarms.size()) == 0;
    }

    static void armed(uint16_t alarm, int here, int elsewhere);

    // The return address of the call becomes a site.
    void await_end(const Site& function, uintptr_t stack_pointer) {
        Site site;
        site.address = own_hits.frames.begin(function, stack_pointer, ended);
        if (site.address == 0 || !is_in_image(site.address) || is_end_of_handler(site.address)) return;
        site.is_in_c_library = is_in_c_library(site.address);
        if (plant(site)) synchronize_code();
    }

    static void ended(const Site& function) {
        ovni_private_hit_site(function.exits.data(), function.exits.size());
    }

    // The word in place of a return address may be anything where the program begins.
    static bool is_in_image(uintptr_t address) {
        dl_find_object found{};
        return ::_dl_find_object(reinterpret_cast<void*>(address), &found) == 0;
    }

    static bool is_in_c_library(uintptr_t address) {
        dl_find_object found{}, c_library{};
        return ::_dl_find_object(reinterpret_cast<void*>(address), &found) == 0 &&
               ::_dl_find_object(reinterpret_cast<void*>(::gnu_get_libc_version), &c_library) == 0 &&
               found.dlfo_map_start == c_library.dlfo_map_start;
    }

    // A function of the C library, at its beginning.
    static bool is_called_by_tracer(uintptr_t stack_pointer) {
        return is_own_code(*reinterpret_cast<const uintptr_t*>(stack_pointer));
    }

    // The system calls a handler of the program so that it returns to mov $15, %rax; syscall. Unwinding knows
    // that place by its bytes.
    static bool is_end_of_handler(uintptr_t address) {
        constexpr uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
        return memcmp(reinterpret_cast<const void*>(address), sigreturn, sizeof sigreturn) == 0;
    }

    static void unwound(uintptr_t stack_pointer);
    static void spawning(bool begins);
    static void forked();
    static void report(const Site& site, const Registers& registers);
    static bool report_patched(const Site& site, const PatchedFrame& frame);

    AlarmSearch search_;
    std::vector<ElfImage> images_;
    Sites sites_;
    const r_debug* loader_ = nullptr;
    bool is_reported_ = false;
};

// Never destroyed: sites may be hit until the process is gone.
CodeAlarms* code_alarms;

// A chain may arm an alarm in its last step, in any thread.
void CodeAlarms::armed(uint16_t alarm, int here, int elsewhere) {
    const auto is_same = [&](const CodeAlarm& known) { return known.number == alarm; };
    if (needs_translation(*std::ranges::find_if(code_alarms->search_.alarms(), is_same)))
        return translation_is_wanted(here != 0, elsewhere != 0, !own_hits.is_reporting);
    code_alarms->sites_.put_back(alarm);
    synchronize_code();
}

// The child that posix_spawn() makes runs functions of the C library with all signals blocked.
void CodeAlarms::spawning(bool begins) {
    code_alarms->sites_.rest_in_c_library(begins);
    if (!begins) synchronize_code();
}

void CodeAlarms::forked() {
    Reporting reporting;
    keep_own_stack_in_child();
    code_alarms->sites_.start_over_in_child();
    start_translation_over_in_child();
}

void CodeAlarms::unwound(uintptr_t stack_pointer) {
    if (own_hits.is_reporting || own_hits.frames.is_empty()) return;
    const int saved = errno;
    {
        Reporting reporting;
        own_hits.frames.unwind_to(stack_pointer, ended);
    }
    errno = saved;
    enter_if_wanted();
}

// Sites that the report itself comes to are not reported.
void CodeAlarms::report(const Site& site, const Registers& registers) {
    if (own_hits.is_reporting) return;
    Reporting reporting;
    shown_registers = &registers;
    code_alarms->hit(site, registers);
    shown_registers = nullptr;
}

bool CodeAlarms::report_patched(const Site& site, const PatchedFrame& frame) {
    OwnWork work;
    const Registers registers = registers_in(site, frame);
    shown_registers = &registers;
    code_alarms->hit(site, registers);
    shown_registers = nullptr;
    return translation_is_due();
}

// ovnirun --list-functions: the program does not begin.
void list_functions_if_asked() {
    const char* pattern = ::secure_getenv("OVNI_LIST_FUNCTIONS");
    if (pattern == nullptr) return;
    print_functions(loaded_images(), pattern);
    ::_exit(0);
}

[[gnu::constructor]] void begin() {
    list_functions_if_asked();
    const CodeAlarm* alarms = nullptr;
    const size_t count = ovni_private_code_alarms(&alarms);
    if (count == 0) return;
    code_alarms = new CodeAlarms({alarms, count});
    code_alarms->begin();
    // The program begins to run.
    enter_if_wanted();
}

}  // namespace

}  // namespace ovni::code
