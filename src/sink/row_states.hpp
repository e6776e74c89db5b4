// The state of the rows of threads before a slice, for each type: an output in which states begin and end
// needs that, and the slice before was written by another rank. Each key, a row and a type, has an owner, key
// mod ranks, who keeps its state between slices. Memory: a byte for each key, 16 more if begins are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ranks.hpp"
#include "emu/records/record.hpp"
#include "emu/records/schema.hpp"

namespace ovni {

class RowStates {
 public:
    enum class State : uint8_t { never_shown, nothing, shown };
    struct Key {
        uint32_t row = 0;
        uint32_t type = 0;  // in types()
    };

    // The value that a row shows, and since when.
    struct Begin {
        int64_t time = 0, value = 0;
    };
    enum class Begins : uint8_t { forgotten, kept };

    RowStates() = default;
    // The types of the file, but for those in `left_out`. `ranks` outlives this.
    RowStates(const Ranks& ranks, const FileSchema& file, std::span<const uint16_t> left_out,
              Begins begins = Begins::forgotten);

    // Places in FileSchema::types.
    const std::vector<uint32_t>& types() const { return types_; }
    // Nothing for a record that is not shown in the file.
    std::optional<Key> key_of(const Record& record) const {
        if (record.thread_row == Record::no_row || record.type >= place_.size()) return {};
        if (place_[record.type] == none) return {};
        return Key{record.thread_row, place_[record.type]};
    }
    // Collective on many ranks: now states() are those before the slice.
    void share(std::span<const Record> records);
    // The state now; write() changes it from record to record.
    State& of(Key key) { return here_[at(key)]; }
    // Since when; write() changes it, too. Call only if begins are kept.
    Begin& begin_of(Key key) { return begins_here_[at(key)]; }
    // Those that are shown, in the order of keys; on rank 0 only. Collective; call after the last slice.
    struct Shown {
        Key key;
        Begin begin;  // if begins are kept
    };
    std::vector<Shown> still_shown() const;

 private:
    static constexpr uint32_t none = UINT32_MAX;
    size_t at(Key key) const { return size_t{key.row} * types_.size() + key.type; }
    Key key(uint64_t at) const {
        return {static_cast<uint32_t>(at / types_.size()), static_cast<uint32_t>(at % types_.size())};
    }
    size_t all_ranks() const { return static_cast<size_t>(ranks_->size()); }
    template <class Item, class Replace>
    void ask_owners(const PerRank<std::vector<uint64_t>>& asked,
                    const PerRank<std::vector<uint64_t>>& asked_here, std::vector<Item>& here,
                    std::vector<Item>& owned, Replace replace) const;

    const Ranks* ranks_ = nullptr;
    std::vector<uint32_t> types_;
    std::vector<uint32_t> place_;  // by type: in types_
    std::vector<State> here_;      // by key: in the slice that this rank writes; alone: always
    std::vector<State> owned_;     // by key / ranks; many ranks only
    std::vector<Begin> begins_here_, begins_owned_;  // likewise; empty if they are forgotten
};

// The state behind a record. A row that shows nothing, and never did, is not begun by a 0.
inline RowStates::State state_behind(const Record& record, RowStates::State before) {
    using enum RowStates::State;
    if (record.value != 0) return shown;
    return before == never_shown ? never_shown : nothing;
}

}  // namespace ovni
