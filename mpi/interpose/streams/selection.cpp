#include "mpi/interpose/streams/selection.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include "core/function_choice.hpp"
#include "core/wanted_events.hpp"
#include "mpi/interpose/base/report.hpp"

namespace ovni::mpi {

namespace {

Report bad_list{"OVNI_MPI_FUNCTIONS: '%s' is no function, family or tier, and skipped"};
Report bad_events{"OVNI_MPI_EVENTS is full or reference, not '%s'; full is taken"};

std::string_view value_of(const char* variable) noexcept {
    const char* value = secure_getenv(variable);
    return value ? value : "";
}

void complain_of(std::string_view word) noexcept {
    char text[64];
    snprintf(text, sizeof text, "%.*s", static_cast<int>(word.size()), word.data());
    bad_list.once(text);
}

}  // namespace

void select_functions() noexcept {
    const std::string_view events = value_of("OVNI_MPI_EVENTS");
    if (!events.empty() && events != "full" && events != "reference") bad_events.once(events.data());
    const bool reference = wants_reference_events();
    std::span rows = std::span(function_rows).subspan(1);
    std::string_view wrong =
        choose_functions(value_of("OVNI_MPI_FUNCTIONS"), rows, [&](size_t i, bool chosen) {
            bool possible = !reference || rows[i].number == 0;
            bool looked_at = !reference && (chosen || rows[i].is_followed);
            selected_functions[i + 1].store(
                static_cast<uint8_t>((chosen && possible ? recorded : 0) | (looked_at ? with_details : 0)),
                std::memory_order_relaxed);
        });
    if (!wrong.empty()) complain_of(wrong);
}

void deselect_functions() noexcept {
    for (auto& selected : selected_functions) selected.store(0, std::memory_order_relaxed);
}

}  // namespace ovni::mpi
