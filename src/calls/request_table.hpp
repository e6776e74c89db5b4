// The requests of a process that are under way, by number. Numbers come from one sequence and most requests
// end soon: slots are used again, and none is moved. Finding, adding and removing take constant time and,
// once there is room, no allocation.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "calls/call.hpp"

namespace ovni {

class RequestTable {
 public:
    size_t size() const { return size_; }
    // Null if it is not under way. Valid until it is removed.
    Request* find(uint32_t number) {
        if (size_ == 0) return nullptr;
        const Cell& cell = cells_[cell_of(number)];
        return cell.slot == none ? nullptr : &at(cell.slot);
    }
    // Takes the place of one with that number.
    Request& put(const Request& request) {
        if (2 * (size_ + 1) > cells_.size()) grow();
        Cell& cell = cells_[cell_of(request.number)];
        if (cell.slot == none) {
            cell = {request.number, free_slot()};
            ++size_;
        }
        return at(cell.slot) = request;
    }
    void remove(uint32_t number) {
        if (size_ == 0) return;
        size_t hole = cell_of(number);
        if (cells_[hole].slot == none) return;
        free_.push_back(cells_[hole].slot);
        --size_;
        // Those behind it that would have liked its cell move up.
        for (size_t next = after(hole); cells_[next].slot != none; next = after(next))
            if (const size_t way = (next - home_of(cells_[next].number)) & (cells_.size() - 1);
                way >= ((next - hole) & (cells_.size() - 1))) {
                cells_[hole] = cells_[next];
                hole = next;
            }
        cells_[hole].slot = none;
    }
    template <class Take>
    void visit(Take take) const {
        for (const Cell& cell : cells_)
            if (cell.slot != none) take(blocks_[cell.slot / block][cell.slot % block]);
    }

 private:
    static constexpr uint32_t none = UINT32_MAX;
    static constexpr uint32_t block = 64;
    static constexpr size_t first_cells = 16;  // a power of two, like every other
    struct Cell {
        uint32_t number = 0, slot = none;
    };

    Request& at(uint32_t slot) { return blocks_[slot / block][slot % block]; }
    size_t after(size_t cell) const { return (cell + 1) & (cells_.size() - 1); }
    size_t home_of(uint32_t number) const {
        constexpr uint32_t spread = 0x9e3779b1;
        constexpr int digits = 32;
        return number * spread >> (digits - std::countr_zero(cells_.size()));
    }
    // The cell that has the number, or would get it.
    size_t cell_of(uint32_t number) const {
        size_t cell = home_of(number);
        while (cells_[cell].slot != none && cells_[cell].number != number) cell = after(cell);
        return cell;
    }
    uint32_t free_slot() {
        if (free_.empty()) {
            const auto first = static_cast<uint32_t>(blocks_.size()) * block;
            blocks_.push_back(std::make_unique<Request[]>(block));
            for (uint32_t slot = block; slot-- > 0;) free_.push_back(first + slot);
        }
        const uint32_t slot = free_.back();
        free_.pop_back();
        return slot;
    }
    void grow() {
        std::vector<Cell> before(cells_.empty() ? first_cells : 2 * cells_.size());
        before.swap(cells_);
        for (const Cell& cell : before)
            if (cell.slot != none) cells_[cell_of(cell.number)] = cell;
    }

    std::vector<Cell> cells_;
    std::vector<std::unique_ptr<Request[]>> blocks_;
    std::vector<uint32_t> free_;
    size_t size_ = 0;
};

}  // namespace ovni
