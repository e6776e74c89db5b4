// The open calls, in the calling thread, of functions with exit_func alarms; of each function the outermost.
// A call is identified by the stack position of its return address. It ends with the return to that address,
// with the stack pointer behind that position, or when an exception or longjmp() leaves it.
#pragma once

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ovni::code {

struct Site;

class CallFrames {
 public:
    static constexpr size_t most = 32;  // the ends of further calls are not seen

    // Call when a call of the function at the site begins, with its return address at `place`. Returns the
    // return address, or 0 if the call is not the outermost one. Calls ended(site) for calls whose stack is
    // reused, so they have ended.
    template <class Ended>
    uintptr_t begin(const Site& site, uintptr_t place, Ended ended) noexcept {
        const uintptr_t back = *reinterpret_cast<const uintptr_t*>(place);
        end_if([&](const Frame& frame) { return is_over(frame, site, place, back); }, ended);
        for (size_t i = 0; i < count_; ++i)
            if (frames_[i].site == &site) return 0;
        if (count_ == most) return 0;
        frames_[count_++] = {&site, place, back};
        return back;
    }
    // Ends the calls that return to `address` with that stack pointer.
    template <class Ended>
    void return_to(uintptr_t address, uintptr_t stack_pointer, Ended ended) noexcept {
        end_if(
            [&](const Frame& frame) {
                return frame.back == address && frame.place + sizeof(uintptr_t) == stack_pointer;
            },
            ended);
    }
    // Ends the calls below that stack pointer, which a jump has left.
    template <class Ended>
    void unwind_to(uintptr_t stack_pointer, Ended ended) noexcept {
        end_if([&](const Frame& frame) { return is_below(frame, stack_pointer); }, ended);
    }
    bool is_empty() const noexcept { return count_ == 0; }

 private:
    struct Frame {
        const Site* site;
        uintptr_t place;
        uintptr_t back;
    };
    // A distant place is on the stack of another coroutine.
    static bool is_below(const Frame& frame, uintptr_t stack_pointer) noexcept {
        constexpr uintptr_t largest_stack = uintptr_t{64} << 20;
        return frame.place < stack_pointer && stack_pointer - frame.place < largest_stack;
    }
    // True if the call has ended unseen: its place has another value, or the call begins again above it. The
    // position alone is not enough, because coroutines have their own stacks. After a tail call the place and
    // the return address are those of the previous call.
    static bool is_over(const Frame& frame, const Site& site, uintptr_t place, uintptr_t back) noexcept {
        if (frame.place == place) return frame.back != back;
        if (!is_below(frame, place)) return false;
        return (frame.site == &site && frame.back == back) || word_at(frame.place) != frame.back;
    }
    // 0 if the memory is no longer mapped.
    static uintptr_t word_at(uintptr_t place) noexcept {
        uintptr_t word = 0;
        iovec to{&word, sizeof word}, from{reinterpret_cast<void*>(place), sizeof word};
        const long size = ::syscall(SYS_process_vm_readv, ::getpid(), &to, 1, &from, 1, 0);
        return size == sizeof word ? word : 0;
    }
    // The innermost first.
    template <class Condition, class Ended>
    void end_if(Condition condition, Ended ended) noexcept {
        for (size_t i = count_; i-- > 0;) {
            if (!condition(frames_[i])) continue;
            const Site* site = frames_[i].site;
            for (size_t k = i + 1; k < count_; ++k) frames_[k - 1] = frames_[k];
            --count_;
            ended(*site);
        }
    }

    std::array<Frame, most> frames_{};
    size_t count_ = 0;
};

}  // namespace ovni::code
