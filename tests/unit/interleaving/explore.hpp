// A small explicit-state model checker. A model says what the state is and which single steps lead on from
// it; every state that any interleaving reaches is visited once. Found are states that break a rule, and
// states from which no interleaving leads to the end any more: somebody waits for ever.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ovni::test {

struct Explored {
    size_t states = 0;
    std::string broken;  // the first rule that was broken, with the steps that lead there
    std::string stuck;   // the steps to the first state without a way to the end
    bool has_end = false;
};

// Whether the end may be reached by way of a step: a death may come, but nobody may depend on it.
enum class Step : uint8_t { sure, possible };

// Model: State (bytes only, without padding), first(), and
//   steps(state, [](const char* step, const State& after, const char* broken_rule, Step kind) { ... }),
//   is_end(state).
template <class Model>
class Explorer {
 public:
    using State = typename Model::State;
    static_assert(std::has_unique_object_representations_v<State>, "states are compared as bytes");

    explicit Explorer(const Model& model) : model_(model) {}

    Explored explore() {
        visit(model_.first(), 0, "");
        for (uint32_t i = 0; i < states_.size() && result_.broken.empty(); ++i) {
            const State from = states_[i];
            model_.steps(from, [&](const char* step, const State& after, const char* rule, Step kind) {
                if (rule != nullptr && result_.broken.empty())
                    result_.broken = std::string(rule) + ":" + path_to(i) + " | " + step;
                uint32_t to = visit(after, i, step);
                if (kind == Step::sure) edges_.push_back({to, i});
            });
        }
        result_.states = states_.size();
        if (result_.broken.empty()) find_stuck();
        return result_;
    }

 private:
    struct Origin {
        uint32_t from;
        const char* step;
    };
    struct Edge {
        uint32_t to, from;
        auto operator<=>(const Edge&) const = default;
    };
    struct BytesOf {
        const std::vector<State>* states;
        std::string_view operator()(uint32_t i) const {
            return {reinterpret_cast<const char*>(&(*states)[i]), sizeof(State)};
        }
    };
    struct Hash : BytesOf {
        size_t operator()(uint32_t i) const { return std::hash<std::string_view>()(BytesOf::operator()(i)); }
    };
    struct Equal : BytesOf {
        bool operator()(uint32_t i, uint32_t j) const {
            return BytesOf::operator()(i) == BytesOf::operator()(j);
        }
    };

    uint32_t visit(const State& state, uint32_t from, const char* step) {
        states_.push_back(state);
        auto [place, is_new] = known_.insert(static_cast<uint32_t>(states_.size() - 1));
        if (is_new)
            origin_.push_back({from, step});
        else
            states_.pop_back();
        return *place;
    }

    std::string path_to(uint32_t state) const {
        std::vector<const char*> steps;
        for (; state != 0; state = origin_[state].from) steps.push_back(origin_[state].step);
        std::string path;
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) path += std::string(" | ") + *step;
        return path;
    }

    void find_stuck() {
        std::ranges::sort(edges_);
        std::vector<bool> can_end(states_.size(), false);
        std::vector<uint32_t> open;
        auto reach = [&](uint32_t state) {
            if (can_end[state]) return;
            can_end[state] = true;
            open.push_back(state);
        };
        for (uint32_t i = 0; i < states_.size(); ++i)
            if (model_.is_end(states_[i])) reach(i);
        result_.has_end = !open.empty();
        while (!open.empty()) {
            uint32_t state = open.back();
            open.pop_back();
            for (const Edge& edge : std::ranges::equal_range(edges_, state, {}, &Edge::to)) reach(edge.from);
        }
        auto first = std::ranges::find(can_end, false);
        if (first != can_end.end())
            result_.stuck = path_to(static_cast<uint32_t>(first - can_end.begin())) + " ";
    }

    Model model_;
    Explored result_;
    std::vector<State> states_;
    std::vector<Origin> origin_;
    std::vector<Edge> edges_;
    std::unordered_set<uint32_t, Hash, Equal> known_{1 << 16, Hash{{&states_}}, Equal{{&states_}}};
};

template <class Model>
Explored explore(const Model& model) {
    return Explorer<Model>(model).explore();
}

}  // namespace ovni::test
