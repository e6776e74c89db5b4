// Work whose time alarms on code change: prints the median ns of each. hit() is called by `hits`, from
// begin() on.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

extern "C" [[gnu::noinline]] void hit() {
    asm volatile("" ::: "memory");
}
// Too short for a jump, with another function right behind it.
extern "C" void trap(), behind_trap();
asm(R"(
    .text
    .globl trap, behind_trap
    .type trap, @function
    .type behind_trap, @function
trap: ret
behind_trap: ret
)");
extern "C" [[gnu::noinline]] void begin() {
    asm volatile("");
}

namespace {

constexpr int calls_of_hit = 2000;
void hits() {
    for (int i = 0; i < calls_of_hit; ++i) hit();
}

void traps() {
    for (int i = 0; i < calls_of_hit; ++i) trap();
}

// The system alone: what a trap costs with an empty handler.
void bare_traps() {
    for (int i = 0; i < calls_of_hit; ++i) asm volatile("int3");
}

[[gnu::noinline]] int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
void calls() {
    constexpr int depth = 27;
    volatile int number = fibonacci(depth);
    static_cast<void>(number);
}

constexpr size_t side = 120;
std::array<double, side * side> one, other, product;
void loops() {
    for (size_t i = 0; i < side; ++i)
        for (size_t k = 0; k < side; ++k) {
            double sum = 0;
            for (size_t j = 0; j < side; ++j) sum += one[i * side + j] * other[j * side + k];
            product[i * side + k] = sum;
        }
    asm volatile("" : : "r"(product.data()) : "memory");
}

void sorting() {
    static std::array<uint32_t, 50'000> numbers;
    uint32_t seed = 1;
    for (uint32_t& number : numbers) number = (seed = seed * 1103515245 + 12345) >> 8;
    std::qsort(numbers.data(), numbers.size(), sizeof numbers[0], [](const void* left, const void* right) {
        const uint32_t first = *static_cast<const uint32_t*>(left),
                       second = *static_cast<const uint32_t*>(right);
        return first < second ? -1 : static_cast<int>(first > second);
    });
}

void library() {
    std::map<std::string, int> words;
    for (int i = 0; i < 20'000; ++i) words[std::to_string(i * 7919 % 5003)] += i;
    for (int i = 0; i < 500; ++i) try {
            if (i % 2 != 0) throw std::runtime_error("odd");
        } catch (const std::exception&) {
        }
}

void measure(const char* name, void (*work)(), int count) {
    constexpr size_t rounds = 21;
    std::array<double, rounds> times;
    for (double& time : times) {
        const auto before = std::chrono::steady_clock::now();
        work();
        time = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before).count();
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    std::printf("%s %.2f\n", name, times[rounds / 2] / count);
}

}  // namespace

int main() {
    begin();
    measure("hits", hits, calls_of_hit);
    measure("traps", traps, calls_of_hit);
    std::signal(SIGTRAP, [](int) {});
    measure("bare_traps", bare_traps, calls_of_hit);
    measure("calls", calls, 1);
    measure("loops", loops, 1);
    measure("sorting", sorting, 1);
    measure("library", library, 1);
    return 0;
}
