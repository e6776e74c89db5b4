// Ends of messages, dealt to the ranks by their keys: all ends of one key come together on one rank.
#pragma once

#include <span>
#include <vector>

#include "base/ranks.hpp"
#include "messages/process_messages.hpp"

namespace ovni {

// The place of an end among those of its key.
bool comes_before(const MessageEnd& a, const MessageEnd& b);

// The ends of all ranks whose keys are this rank's.
class DealtEnds {
 public:
    // Takes the ends from `found`, which so many threads sort. Collective.
    DealtEnds(const Ranks& ranks, std::span<MessageEnds> found, size_t threads);

    // The ends of one side of one key that one rank has sent, in the order of keys.
    struct Part {
        KeyOfProcess key;
        int from = 0;  // rank
        std::span<MessageEnd> ends;
    };
    const std::vector<Part>& parts() const { return parts_; }

 private:
    // Some ends of one key, in front of them on their way. Plain data.
    struct Parcel {
        KeyOfProcess key;
        uint64_t ends = 0;
    };

    // Calls take(key, its ends) for each key.
    template <class Take>
    static void visit_keys(std::vector<MessageEnd>& ends, Take take);
    void keep(MessageEnds& group, int rank);
    void take(int from, const std::vector<Parcel>& parcels, std::vector<MessageEnd> ends);
    void exchange(const Ranks& ranks, std::span<MessageEnds> found);

    std::vector<std::vector<MessageEnd>> ends_;
    std::vector<Part> parts_;
};

}  // namespace ovni
