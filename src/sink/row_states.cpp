#include "sink/row_states.hpp"

#include <algorithm>

namespace ovni {

namespace {

// The state of a key behind a slice, of which the slice alone says `behind`. Returns the one before.
RowStates::State replace(RowStates::State& state, RowStates::State behind) {
    using enum RowStates::State;
    const RowStates::State before = state;
    state = behind == never_shown && before != never_shown ? nothing : behind;
    return before;
}

}  // namespace

RowStates::RowStates(const Ranks& ranks, const FileSchema& file, std::span<const uint16_t> left_out)
    : ranks_(&ranks) {
    for (uint32_t t = 0; t < file.types.size(); ++t) {
        const uint32_t type = file.types[t].type;
        if (std::ranges::find(left_out, type) != left_out.end()) continue;
        if (type >= place_.size()) place_.resize(size_t{type} + 1, none);
        place_[type] = static_cast<uint32_t>(types_.size());
        types_.push_back(t);
    }
    const size_t keys = file.rows.size() * types_.size();
    here_.assign(keys, State::never_shown);
    if (!ranks.is_alone()) owned_.assign(keys / all_ranks() + 1, State::never_shown);
}

// Owners get the state of each key behind the slices of all ranks, and answer with that before each.
void RowStates::share(std::span<const Record> records) {
    if (ranks_->is_alone()) return;
    std::vector<uint64_t> touched;
    std::vector<bool> is_touched(here_.size());
    for (const Record& record : records) {
        const std::optional<Key> key = key_of(record);
        if (!key) continue;
        const size_t place = at(*key);
        if (!is_touched[place]) {
            touched.push_back(place);
            here_[place] = State::never_shown;
        }
        is_touched[place] = true;
        here_[place] = state_behind(record, here_[place]);
    }
    PerRank<std::vector<uint64_t>> asked(all_ranks());
    PerRank<std::vector<State>> behind(all_ranks());
    for (uint64_t place : touched) {
        asked[place % all_ranks()].push_back(place);
        behind[place % all_ranks()].push_back(here_[place]);
    }
    const auto spans = [](const auto& of_ranks) {
        using Item = typename std::remove_cvref_t<decltype(of_ranks[0])>::value_type;
        return PerRank<std::span<const Item>>(of_ranks.begin(), of_ranks.end());
    };
    const auto asked_here = ranks_->alltoallv(spans(asked));
    auto states = ranks_->alltoallv(spans(behind));
    for (size_t r = 0; r < all_ranks(); ++r)
        for (size_t i = 0; i < states[r].size(); ++i)
            states[r][i] = replace(owned_[asked_here[r][i] / all_ranks()], states[r][i]);
    const auto before = ranks_->alltoallv(spans(states));
    for (size_t r = 0; r < all_ranks(); ++r)
        for (size_t i = 0; i < before[r].size(); ++i) here_[asked[r][i]] = before[r][i];
}

std::vector<RowStates::Key> RowStates::still_shown() const {
    std::vector<uint64_t> shown;
    const std::vector<State>& states = ranks_->is_alone() ? here_ : owned_;
    for (size_t i = 0; i < states.size(); ++i)
        if (states[i] == State::shown) shown.push_back(i * all_ranks() + static_cast<size_t>(ranks_->rank()));
    shown = ranks_->gather_joined(shown);
    std::ranges::sort(shown);
    std::vector<Key> keys;
    for (uint64_t at : shown) keys.push_back(key(at));
    return keys;
}

}  // namespace ovni
