// The values that rows of threads show, and when these begin and end, for outputs whose states have ends. As
// another rank writes the slice before, each key (a row and a type) has an owner, key mod ranks, which keeps
// its state between slices. Memory: a byte for each key, 16 more if begins are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ranks.hpp"
#include "emu/records/record.hpp"
#include "emu/records/schema.hpp"
#include "sink/shown_types.hpp"

namespace ovni {

class RowStates {
 public:
    struct Key {
        uint32_t row = 0;
        uint32_t type = 0;  // a place in FileSchema::types
    };
    // The value that a row shows, and since when.
    struct Begin {
        int64_t time = 0, value = 0;
    };
    struct Change {
        Key key;
        bool is_first = false;  // the row never showed a value of the type before
        bool ends = false;      // the row showed a value until now
        Begin before;           // that value, if begins are kept
    };
    enum class Begins : uint8_t { forgotten, kept };

    RowStates() = default;
    // Shows the types of the file, except for those in `left_out`. `ranks` outlives this.
    RowStates(const Ranks& ranks, const FileSchema& file, std::span<const uint16_t> left_out,
              Begins begins = Begins::forgotten);

    const ShownTypes& types() const { return types_; }
    // Collective on many ranks: the next record is the first of the slice.
    void share(std::span<const Record> records);
    // The change by a record; missing if it changes no row of the file: a row that never showed anything is
    // not begun by a 0.
    std::optional<Change> take(const Record& record);
    // The values that are still shown, in the order of keys; on rank 0 only. Collective; call after the last
    // slice.
    struct Shown {
        Key key;
        Begin begin;  // if begins are kept
    };
    std::vector<Shown> still_shown() const;

 private:
    enum class State : uint8_t { never_shown, nothing, shown };

    static State state_behind(const Record& record, State before);
    static State behind_slice(State& state, State behind);
    size_t at(const Record& record) const {
        return size_t{record.thread_row} * types_.places().size() + types_.number_of(record.type);
    }
    Key key(uint64_t at) const {
        const size_t types = types_.places().size();
        return {static_cast<uint32_t>(at / types), types_.places()[at % types]};
    }
    size_t all_ranks() const { return static_cast<size_t>(ranks_->size()); }
    template <class Item, class Replace>
    void ask_owners(const PerRank<std::vector<uint64_t>>& asked,
                    const PerRank<std::vector<uint64_t>>& asked_here, std::vector<Item>& here,
                    std::vector<Item>& owned, Replace replace) const;

    const Ranks* ranks_ = nullptr;
    ShownTypes types_;
    std::vector<State> here_;   // by key: in the slice that this rank writes; a single rank: always
    std::vector<State> owned_;  // by key / ranks; many ranks only
    std::vector<Begin> begins_here_, begins_owned_;  // as these two; empty if begins are not kept
};

}  // namespace ovni
