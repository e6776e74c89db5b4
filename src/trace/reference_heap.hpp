// The binary heap by which the reference merges streams. The order of equal times follows from its shape, so
// this heap equals it node by node. Node k has the children 2k and 2k+1. Insertion swaps upwards while
// strictly smaller than the parent. Extraction moves the last node to the top and swaps it down with its
// smaller child, the left one if they are equal.
//
// Faster, with equal results: time and source share one word. The way down takes the smaller child without
// a look at the node that sinks; that node then rises from the end of the way to its place. The way always
// has the length of the full tree; nodes beyond the last one are greater than any other.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ovni {

class ReferenceHeap {
 public:
    static constexpr uint32_t no_time = 0xffffffff;  // greater than any time

    // `most`: sources, each with at most one node.
    explicit ReferenceHeap(size_t most)
        : nodes_(2 * std::bit_ceil(most + 1), nothing),
          depth_(most < 2 ? 0 : static_cast<int>(std::bit_width(most - 1)) - 1) {}

    bool empty() const { return size_ == 0; }
    // no_time if the heap is empty.
    uint32_t first_time() const { return static_cast<uint32_t>(nodes_[1] >> 32); }

    void insert(uint32_t time, uint32_t source) {
        uint64_t* nodes = nodes_.data();
        uint64_t node = uint64_t{time} << 32 | source;
        size_t at = ++size_;
        for (; at > 1 && less(node, nodes[at / 2]); at /= 2) nodes[at] = nodes[at / 2];
        nodes[at] = node;
    }

    // Removes the first node and returns its source.
    uint32_t extract() {
        uint64_t* nodes = nodes_.data();
        auto first = static_cast<uint32_t>(nodes[1]);
        uint64_t last = nodes[size_];
        nodes[size_--] = nothing;
        if (size_ == 0) return first;
        size_t at = 1;
        for (int level = depth_; level > 0; --level) {
            // Loaded from a computed place: a choice between two values would become an unpredictable branch.
            size_t left = 2 * at;
            size_t smaller = left + static_cast<size_t>(less(nodes[left + 1], nodes[left]));
            nodes[at] = nodes[smaller];
            at = smaller;
        }
        for (; at > 1 && !less(nodes[at / 2], last); at /= 2) nodes[at] = nodes[at / 2];
        nodes[at] = last;
        return first;
    }

    // Gives every source another time, which must keep their order.
    template <class TimeOf>
    void set_times(TimeOf time_of) {
        for (size_t at = 1; at <= size_; ++at) {
            auto source = static_cast<uint32_t>(nodes_[at]);
            nodes_[at] = uint64_t{time_of(source)} << 32 | source;
        }
    }

 private:
    static constexpr uint64_t nothing = ~UINT64_C(0);

    // Compares by time alone.
    static bool less(uint64_t a, uint64_t b) { return (a | 0xffffffff) < b; }

    std::vector<uint64_t> nodes_;  // time above, source below
    size_t size_ = 0;
    int depth_;  // of the tree without the node that was extracted
};

}  // namespace ovni
