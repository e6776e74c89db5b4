#include "sink/row_states.hpp"

#include <algorithm>
#include <utility>

namespace ovni {

namespace {

template <class Item>
PerRank<std::span<const Item>> spans(const PerRank<std::vector<Item>>& of_ranks) {
    return {of_ranks.begin(), of_ranks.end()};
}

}  // namespace

RowStates::RowStates(const Ranks& ranks, const FileSchema& file, std::span<const uint16_t> left_out,
                     Begins begins)
    : ranks_(&ranks), types_(file, left_out) {
    const size_t keys = file.rows->size() * types_.places().size();
    here_.assign(keys, State::never_shown);
    if (!ranks.is_alone()) owned_.assign(keys / all_ranks() + 1, State::never_shown);
    if (begins == Begins::forgotten) return;
    begins_here_.resize(here_.size());
    begins_owned_.resize(owned_.size());
}

// The state behind a record.
RowStates::State RowStates::state_behind(const Record& record, State before) {
    if (record.value != 0) return State::shown;
    return before == State::never_shown ? State::never_shown : State::nothing;
}

// Sets the state of a key behind a slice; `behind`: what the slice alone says of it. Returns the state
// before.
RowStates::State RowStates::behind_slice(State& state, State behind) {
    const State before = state;
    state = behind == State::never_shown && before != State::never_shown ? State::nothing : behind;
    return before;
}

std::optional<RowStates::Change> RowStates::take(const Record& record) {
    if (!types_.shows(record)) return {};
    const size_t place = at(record);
    State& state = here_[place];
    const State before = std::exchange(state, state_behind(record, state));
    if (state == State::never_shown) return {};
    Change change{{record.thread_row, types_.place_of(record.type)},
                  before == State::never_shown,
                  before == State::shown,
                  {}};
    if (!begins_here_.empty())
        change.before = std::exchange(begins_here_[place], Begin{record.time, record.value});
    return change;
}

// Owners get the state of each key behind the slices of all ranks, and answer with that before each.
void RowStates::share(std::span<const Record> records) {
    if (ranks_->is_alone()) return;
    std::vector<uint64_t> touched;
    std::vector<bool> is_touched(here_.size());
    for (const Record& record : records) {
        if (!types_.shows(record)) continue;
        const size_t place = at(record);
        if (!is_touched[place]) {
            touched.push_back(place);
            here_[place] = State::never_shown;
        }
        is_touched[place] = true;
        here_[place] = state_behind(record, here_[place]);
        if (!begins_here_.empty()) begins_here_[place] = {record.time, record.value};
    }
    PerRank<std::vector<uint64_t>> asked(all_ranks());
    for (uint64_t place : touched) asked[place % all_ranks()].push_back(place);
    const auto asked_here = ranks_->alltoallv(spans(asked));
    ask_owners(asked, asked_here, here_, owned_, behind_slice);
    if (!begins_here_.empty())
        ask_owners(asked, asked_here, begins_here_, begins_owned_,
                   [](Begin& begin, const Begin& behind) { return std::exchange(begin, behind); });
}

// Owners keep what is behind the slice, and answer with what was before it.
template <class Item, class Replace>
void RowStates::ask_owners(const PerRank<std::vector<uint64_t>>& asked,
                           const PerRank<std::vector<uint64_t>>& asked_here, std::vector<Item>& here,
                           std::vector<Item>& owned, Replace replace) const {
    PerRank<std::vector<Item>> behind(all_ranks());
    for (size_t r = 0; r < all_ranks(); ++r)
        for (uint64_t place : asked[r]) behind[r].push_back(here[place]);
    auto items = ranks_->alltoallv(spans(behind));
    for (size_t r = 0; r < all_ranks(); ++r)
        for (size_t i = 0; i < items[r].size(); ++i)
            items[r][i] = replace(owned[asked_here[r][i] / all_ranks()], items[r][i]);
    const auto before = ranks_->alltoallv(spans(items));
    for (size_t r = 0; r < all_ranks(); ++r)
        for (size_t i = 0; i < before[r].size(); ++i) here[asked[r][i]] = before[r][i];
}

std::vector<RowStates::Shown> RowStates::still_shown() const {
    struct Found {
        uint64_t at;
        Begin begin;
    };
    std::vector<Found> found;
    const std::vector<State>& states = ranks_->is_alone() ? here_ : owned_;
    const std::vector<Begin>& begins = ranks_->is_alone() ? begins_here_ : begins_owned_;
    for (size_t i = 0; i < states.size(); ++i)
        if (states[i] == State::shown)
            found.push_back({i * all_ranks() + static_cast<size_t>(ranks_->rank()),
                             begins.empty() ? Begin() : begins[i]});
    found = ranks_->gather_joined(found);
    std::ranges::sort(found, {}, &Found::at);
    std::vector<Shown> shown;
    for (const Found& one : found) shown.push_back({key(one.at), one.begin});
    return shown;
}

}  // namespace ovni
