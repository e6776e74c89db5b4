// An event model for tests: it uses what the models of this build leave unused of the language of tables.
// Copies of the programs know it next to two real models (models.cpp).
#include "model/well_formed.hpp"

namespace ovni {

namespace {

namespace channel {
enum : uint8_t { phase, signal, secret, mood };
}

// Punctual states over the states of a stack.
constexpr StateRule phase_states[] = {
    {"XP[", "XP]", 1, "Compute"},
    {"XQ[", "XQ]", 2, "Exchange"},
    {.enter = "XPi", .leave = "", .value = 3, .label = "Checkpoint", .lasts = Lasts::one_ns},
};

// Punctual states only, one of them with arguments: see `events`.
constexpr StateRule signal_states[] = {
    {"XSi", "", 1, "Raised"},
    {"", "", 2, "Delivered"},
};

constexpr StateRule secret_states[] = {
    {"XHs", "XHc", 4, "Hidden"},
    {.enter = "XHi", .leave = "", .value = 5, .label = "Glimpse", .lasts = Lasts::one_ns},
};

constexpr StateRule mood_states[] = {
    {"XMs", "XMc", 1, "Calm"},
    {.enter = "XMi", .leave = "", .value = 2, .label = "Startled", .lasts = Lasts::one_ns},
};

constexpr ChannelSpec channels[] = {
    {.name = "phase",
     .kind = ChannelKind::stack,
     .duplicates = Duplicates::allowed,
     .prv_type = 300,
     .tracking = Tracking::running,
     .cpu_tracking = Tracking::active,
     .title = "Phase",
     .states = phase_states,
     .disabled = {9, "Off its CPU"}},
    {.name = "signal",
     .kind = ChannelKind::punctual,
     .prv_type = 301,
     .tracking = Tracking::active,
     .title = "Signal",
     .states = signal_states},
    {.name = "secret",
     .prv_type = 302,
     .tracking = Tracking::active,
     .cpu_tracking = Tracking::none,
     .title = "Secret",
     .states = secret_states},
    {.name = "mood", .prv_type = 303, .tracking = Tracking::any, .title = "Mood", .states = mood_states},
};

constexpr EventSpec events[] = {
    {.signature = "XSd(ptr handler, f64 load)",
     .description = "signal reaches the handler at %{handler}, load %.2f{load}",
     .action = Action::punctual,
     .channel = channel::signal,
     .value = 2},
    {.signature = "XKp(char key, u8 next, f32 force)",
     .description = "key '%{key}', then '%c{next}', with force %{force}",
     .action = Action::ignore},
};

using Row = ViewSpec::Row;
constexpr ViewSpec views[] = {
    {"example/phase.cfg", "Phase of the RUNNING thread", 300, Row::thread},
    {"example/phase.cfg", "Phase of the ACTIVE thread", 300, Row::cpu},
    {"example/secret.cfg", "Secret of the ACTIVE thread", 302, Row::thread},
};

}  // namespace

extern constinit const ModelSpec example_model = [] {
    constexpr ModelSpec model{.id = 'X',
                              .name = "example",
                              .version = "1.0.0",
                              .guard = Guard::active,
                              .channels = channels,
                              .events = events,
                              .views = views};
    static_assert(well_formed(model));
    return model;
}();

}  // namespace ovni
