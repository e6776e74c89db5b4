// The calls of functions with exit_func alarms that are open in the calling thread, the outermost of each
// function. A call is known by the place of its return address on the stack: its end is the return to that
// address with the stack pointer behind that place. Calls that an exception or longjmp() leaves end there.
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
    static constexpr size_t most = 32;  // calls beyond have no end

    // A call of the function at the site begins; the return address lies at `place`. Returns it, or 0 if the
    // call is not the outermost one. ended(site) is called for calls that are over, because their stack is
    // used again.
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
    // The thread comes to `address` with that stack pointer: ends the calls that return there.
    template <class Ended>
    void return_to(uintptr_t address, uintptr_t stack_pointer, Ended ended) noexcept {
        end_if(
            [&](const Frame& frame) {
                return frame.back == address && frame.place + sizeof(uintptr_t) == stack_pointer;
            },
            ended);
    }
    // The stack is cut off below that pointer.
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
    // A place that is far away lies on the stack of another coroutine.
    static bool is_below(const Frame& frame, uintptr_t stack_pointer) noexcept {
        constexpr uintptr_t largest_stack = uintptr_t{64} << 20;
        return frame.place < stack_pointer && stack_pointer - frame.place < largest_stack;
    }
    // True if the call has ended unseen: its place holds something else, or the same call begins anew above
    // it. A place below alone says little, as coroutines have stacks of their own. After a tail call the
    // place and the return address are those of the call before.
    static bool is_over(const Frame& frame, const Site& site, uintptr_t place, uintptr_t back) noexcept {
        if (frame.place == place) return frame.back != back;
        if (!is_below(frame, place)) return false;
        return (frame.site == &site && frame.back == back) || word_at(frame.place) != frame.back;
    }
    // 0 if there is no memory any more.
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
