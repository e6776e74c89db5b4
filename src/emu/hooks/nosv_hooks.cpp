// Events of the model `nosv` besides tasks: hardware counters.
#include <cstring>
#include <span>

#include "emu/dispatch.hpp"
#include "emu/emulator.hpp"
#include "emu/hooks/payload.hpp"

namespace ovni {

namespace {

void read_counters(Emulator& emulator, uint32_t t, const EventView& event) {
    const Plan& plan = emulator.plan();
    std::span<const uint8_t> data = jumbo_data(event);
    if (plan.counters.empty()) throw Error("no stream names its hardware counters (nosv.hwc)");
    if (data.size() != plan.counters.size() * sizeof(int64_t))
        throw Error(fmt::format("{} bytes for {} hardware counters", data.size(), plan.counters.size()));
    for (size_t i = 0; i < plan.counters.size(); ++i) {
        int64_t value = 0;
        std::memcpy(&value, data.data() + i * sizeof value, sizeof value);
        emulator.change(t, static_cast<uint16_t>(plan.first_counter + i), Action::set, value);
    }
}

constexpr Hook nosv_hook_table[] = {{"VWC", read_counters}};

}  // namespace

std::span<const Hook> nosv_hooks() {
    return nosv_hook_table;
}

}  // namespace ovni
