// Executes the tokens of its command line, "T0:foo T1:ssc.11223344", each in its thread and one after the
// other, and prints the events that fire meanwhile: "start(t0)@2:T0:foo".
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ovni/control.h"

namespace {

std::string fired;
std::atomic<size_t> current{0};
std::vector<std::string> tokens;

[[gnu::noinline]] void foo() {
    asm volatile("");
}
[[gnu::noinline]] void bar() {
    asm volatile("" ::: "memory");
}
[[gnu::noinline]] void boo() {
    asm volatile("nop");
}
// Markers are numbers in the code.
template <uint32_t number>
[[gnu::noinline]] void ssc() {
    asm volatile("movl %0, %%ebx; .byte 0x64, 0x67, 0x90" : : "i"(number) : "ebx");
}
[[gnu::noinline]] void magic(uint32_t first, uint32_t second) {
    asm volatile("xchg %%ebx, %%ebx" : : "a"(4), "b"(first), "c"(second));
}
[[gnu::noinline]] void cpuid(uint32_t leaf) {
    uint32_t a = leaf, b, c = 0, d;
    asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
}
[[gnu::noinline]] void int3() {
    asm volatile("int3");
}

extern "C" void counted_code_end();

// As many instructions as asked for, the return included.
uintptr_t begin_of_count(std::string_view step) {
    const auto instructions = std::strtoul(step.data() + 1, nullptr, 10);
    return reinterpret_cast<uintptr_t>(counted_code_end) - (instructions - 1);
}
bool is_count(std::string_view step) {
    return (step[0] == 'i' || step[0] == 'b') && step[1] >= '0' && step[1] <= '9';
}
// How many of them have been executed: "#100".
std::string executed(std::string_view step) {
    const ovni_control_registers* registers = ovni_control_where();
    if (!is_count(step) || step[0] == 'b' || !registers) return "";
    const uintptr_t begin = begin_of_count(step), end = reinterpret_cast<uintptr_t>(counted_code_end);
    const bool is_over = registers->rip < begin || registers->rip > end;
    return "#" + std::to_string((is_over ? end + 1 : registers->rip) - begin);
}

// The calls of functions that tokens enter and leave: e.foo is executed by nested::foo, which goes on with
// the tokens behind it. x.foo leaves the outermost call of foo, and all calls in it.
std::vector<std::string> open_calls;
size_t depth_to_leave_to = 0;

void call(std::string_view name);

void go_on_inside(const char* name) {
    open_calls.emplace_back(name);
    const size_t own = open_calls.size();
    depth_to_leave_to = own;
    while (++current < tokens.size() && depth_to_leave_to == own) {
        const std::string step = tokens[current].substr(3);
        const std::string function = step.substr(2);
        if (step.starts_with("e."))
            call(function);
        else
            depth_to_leave_to =
                static_cast<size_t>(std::ranges::find(open_calls, function) - open_calls.begin());
        if (depth_to_leave_to < own) break;
    }
    open_calls.pop_back();
}

namespace nested {

[[gnu::noinline]] void A() {
    go_on_inside("A");
}
[[gnu::noinline]] void B() {
    go_on_inside("B");
}
[[gnu::noinline]] void C() {
    go_on_inside("C");
}
[[gnu::noinline]] void D() {
    go_on_inside("D");
}
[[gnu::noinline]] void foo() {
    go_on_inside("foo");
}
[[gnu::noinline]] void bar() {
    go_on_inside("bar");
}

}  // namespace nested

void call(std::string_view name) {
    using Function = void (*)();
    constexpr std::pair<std::string_view, Function> all[] = {{"A", nested::A},     {"B", nested::B},
                                                             {"C", nested::C},     {"D", nested::D},
                                                             {"foo", nested::foo}, {"bar", nested::bar}};
    for (const auto& [known, function] : all)
        if (known == name) function();
}

uint32_t number_behind(std::string_view text, char sign) {
    return static_cast<uint32_t>(std::strtoul(text.data() + text.find(sign) + 1, nullptr, 10));
}

void execute(std::string_view step) {
    if (is_count(step)) return reinterpret_cast<void (*)()>(begin_of_count(step))();
    if (step == "foo") return foo();
    if (step == "bar") return bar();
    if (step == "boo") return boo();
    if (step == "int3") return int3();
    if (step.starts_with("e.")) return call(step.substr(2));
    if (step == "ssc.11") return ssc<0x11>();
    if (step == "ssc.22") return ssc<0x22>();
    if (step == "ssc.11223344") return ssc<0x11223344>();
    if (step.starts_with("cpuid.")) return cpuid(number_behind(step, '.'));
    if (step.starts_with("magic.")) {
        const std::string_view numbers = step.substr(step.find('.') + 1);
        return magic(static_cast<uint32_t>(std::strtoul(numbers.data(), nullptr, 10)),
                     number_behind(numbers, '.'));
    }
    std::exit(3);
}

// A thread that waits in the system would come late to an event for all threads.
void run_thread(const std::string& own) {
    for (;;) {
        const size_t next = current;
        if (next == tokens.size()) return;
        if (!tokens[next].starts_with(own)) {
            ::sched_yield();
            continue;
        }
        execute(tokens[next].substr(own.size()));
        ++current;
    }
}

void note(void*, int event, uint32_t thread, int is_broadcast) {
    if (current == tokens.size()) return;
    fired += fired.empty() ? "" : " ";
    fired += event == OVNI_CONTROL_START ? "start" : event == OVNI_CONTROL_STOP ? "stop" : "threadid";
    fired += "(t" + std::to_string(thread) + (is_broadcast ? ",bcast" : "") + ")@" + std::to_string(current) +
             ":" + tokens[current] + executed(tokens[current].substr(3));
}

}  // namespace

int main(int argc, char** argv) {
    tokens.assign(argv + 1, argv + argc);
    ovni_control_listen(note, nullptr);
    std::vector<std::thread> threads;
    for (const char* own : {"T1:", "T2:", "T3:"})
        if (std::ranges::any_of(tokens, [&](const std::string& token) { return token.starts_with(own); }))
            threads.emplace_back(run_thread, own);
    run_thread("T0:");
    for (std::thread& thread : threads) thread.join();
    std::puts(fired.c_str());
    return 0;
}
