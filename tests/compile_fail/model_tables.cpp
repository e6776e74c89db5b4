// Rows of a model's tables that the compiler refuses: CASE says which row is wrong, without it all are right.
#include "model/well_formed.hpp"

using namespace ovni;

#ifndef CASE
#define CASE 0
#endif

constexpr StateRule states[] = {
    {"XA[", "XA]", 1, "one"},
    {CASE == 1 ? "YB[" : "XB[", "XB]", 2, "two"},    // of another model
    {CASE == 2 ? "XA[" : "XC[", "XC]", 3, "three"},  // a code twice
    {"XD[", "XD]", CASE == 3 ? 0 : 4, "four"},       // 0 is no value
    {"XE[", "XE]", CASE == 4 ? 4 : 5, "five"},       // two labels for a value
};

constexpr StateRule instants[] = {
    {"XH1", CASE == 22 ? "XH2" : "", 1, "one"},  // a punctual state is left by itself
    {"", "", 2, "two"},
};

constexpr StateRule mixed[] = {
    {"XI1", "XI2", 1, "lasts"},
    {.enter = "XI3",
     .leave = CASE == 23 ? "XI4" : "",
     .value = 2,
     .label = "instant",
     .lasts = Lasts::one_ns},
};

// A label of nothing; the value of another state.
constexpr int64_t disabled_value = CASE == 27 ? 0 : CASE == 29 ? 1 : 9;

constexpr ChannelSpec channels[] = {
    {.name = "a", .kind = ChannelKind::stack, .prv_type = 300, .title = "A", .states = states},
    {.name = "b", .prv_type = CASE == 5 ? 300 : 301, .title = "B"},  // two channels of one type
    {.name = "c",
     .kind = ChannelKind::punctual,
     .prv_type = 302,
     .cpu_tracking = CASE == 24 ? Tracking::any : Tracking::active,  // a CPU shows one thread
     .title = "C",
     .states = instants,
     .initial = CASE == 25 ? 1 : 0},  // a punctual state at the beginning
    {.name = "d",
     .prv_type = 303,
     .tracking = CASE == 26 ? Tracking::any : Tracking::active,  // never disabled
     .cpu_tracking = Tracking::none,
     .title = "D",
     .states = mixed,
     .cpu_default = CASE == 28 ? 1 : 0,                            // of no row
     .disabled = {disabled_value, CASE == 30 ? "" : "disabled"}},  // a value without a label
    {.name = "e", .prv_type = 304, .tracking = CASE == 31 ? Tracking::none : Tracking::any, .title = "E"},
};

// Formats of other types.
constexpr std::string_view formats = CASE == 32   ? "at %d{where}"
                                     : CASE == 33 ? "load %d{load}"
                                     : CASE == 34 ? "load %p{load}"
                                                  : "at %p{where}, load %g{load}";
constexpr std::string_view key_format = CASE == 40 ? "%c{n}" : CASE == 41 ? "%05c{key}" : "%c{key}";

// No such channel; one whose states last.
constexpr uint8_t punctual_channel = CASE == 37 ? 9 : CASE == 38 ? 0 : 3;

constexpr Action hook = Action::hook;

constexpr EventSpec events[] = {
    {CASE == 6 ? "XFa(i33 cpu)" : "XFa(i32 cpu)", "moves to %{cpu}", hook, stateless},     // no such type
    {"XFb(i32 cpu)", CASE == 7 ? "moves to %{gpu}" : "moves to %{cpu}", hook, stateless},  // no such argument
    {"XFc(i32 cpu)", CASE == 8 ? "moves to %s{cpu}" : "moves to %x{cpu}", hook,
     stateless},  // a format of another type
    {CASE == 9 ? "XFd(str name, i32 cpu)" : "XFd+(str name)", "named %{name}", hook,
     stateless},                                                 // str is last
    {"XGa", "runs", hook, CASE == 12 ? undeclared : stateless},  // a hook that says nothing of states
    {"XGx(u32 id)",
     "runs %{id}",
     hook,
     {.kind = StateKind::run,
      .channel = CASE == 13 ? 9 : 0,           // no such channel
      .opposite = CASE == 14 ? "XGq" : "XGp",  // no such event
      .key_size = 4,
      .kept = CASE == 15 ? 5 : 4}},  // more than the payload has
    {"XGp(u32 id)",
     "pauses %{id}",
     hook,
     {.kind = CASE == 16 ? StateKind::end : StateKind::pause,  // a run has to pause
      .channel = 0,
      .key_at = CASE == 17 ? 2 : 0,  // a key behind the payload
      .key_size = 4}},
    {"XGr(u32 id)", "goes on with %{id}", hook, {.kind = StateKind::resume, .channel = 0, .key_size = 4}},
    {"XGe(u32 id)",
     "ends %{id}",
     hook,
     {.kind = CASE == 18 ? StateKind::resume : StateKind::end,
      .channel = 0,
      .key_size = 4}},  // a run has to end
    {"XGi", "ignored", Action::ignore,
     CASE == 19 ? HookState{.kind = StateKind::pop} : undeclared},  // but pops
    {"XG[(u32 id)",
     "begins %{id}",
     hook,
     {.kind = StateKind::push,
      .channel = 1,
      .opposite = CASE == 20 ? "" : "XG]",  // nothing closes it
      .key_size = CASE == 21 ? 2 : 4}},     // another key than that which closes it
    {.signature = "XJa(ptr where, f64 load)",
     .description = formats,
     .action = CASE == 35 ? Action::set : Action::punctual,  // only punctual states have events here
     .state = CASE == 36 ? stateless : undeclared,           // that is of hooks
     .channel = punctual_channel,
     .value = CASE == 39 ? 1 : 2},  // a value that lasts
    {"XJb(char key, u16 n)", key_format, hook, stateless},
    {"XG](u32 id)", "ends %{id}", hook, {.kind = StateKind::pop, .channel = 1, .key_size = 4}},
};

// A CPU row that shows nothing of the channel.
constexpr ViewSpec views[] = {{"x/d.cfg", "D", 303, CASE == 42 ? ViewSpec::Row::cpu : ViewSpec::Row::thread}};
constexpr BreakdownSpec breakdown{
    .prv_type = 310, .title = "E", .base = CASE == 43 ? uint8_t{3} : uint8_t{4}, .detail = 4};

constexpr ModelSpec model{.id = 'X',
                          .name = "example",
                          .version = CASE == 10 ? "1.0" : "1.0.0",  // no patch number
                          .linter_channel = CASE == 11 ? 9 : 0,     // no such channel
                          .channels = channels,
                          .events = events,
                          .views = views,
                          .breakdown = &breakdown};
static_assert(well_formed(model));
