#include "region/running.hpp"

#include <algorithm>

#include "ovni/private.h"
#include "region/controller.hpp"
#include "region/mpi_names.hpp"
#include "region/recorder.hpp"
#include "ring/session.hpp"

namespace ovni::region {

namespace {

// Functions have numbers only if libovni-mpi.so is loaded.
std::vector<uint8_t> calls_awaited_by(const Plan& plan) {
    std::vector<uint8_t> calls;
    size_t functions = mpi_function_names().size();
    for (const Chain& chain : plan.chains)
        for (const Alarm& alarm : chain.alarms) {
            uint8_t bit = alarm.kind == AlarmKind::mpi         ? OVNI_PRIVATE_AWAITS_CALL
                          : alarm.kind == AlarmKind::slow_call ? OVNI_PRIVATE_AWAITS_SLOW_CALL
                                                               : 0;
            if (bit == 0 || alarm.value >= functions) continue;
            calls.resize(functions);
            calls[alarm.value] |= bit;
        }
    return calls;
}

size_t alarms_of(const Plan& plan) {
    size_t alarms = 0;
    for (const Chain& chain : plan.chains) alarms += chain.alarms.size();
    return alarms;
}

std::unique_ptr<AlarmFacts[]> facts_of(const Plan& plan, size_t alarms) {
    std::unique_ptr<AlarmFacts[]> all(new AlarmFacts[alarms]);
    size_t at = 0;
    for (size_t chain = 0; chain < plan.chains.size(); ++chain)
        for (const Alarm& alarm : plan.chains[chain].alarms) {
            AlarmFacts& facts = all[at++];
            facts.text = text_of(plan.chains[chain], alarm);
            facts.kind = alarm.kind;
            facts.ns = alarm.value;
            facts.count = alarm.count;
            facts.chain = static_cast<uint16_t>(chain);
            facts.is_single = alarm.is_global || alarm.thread.has_value();
        }
    return all;
}

struct CodeKind {
    AlarmKind kind;
    AddressForm form;
    int code;
};
constexpr CodeKind code_kinds[] = {
    {AlarmKind::address, AddressForm::symbol, OVNI_PRIVATE_CODE_FUNCTION},
    {AlarmKind::address, AddressForm::in_image, OVNI_PRIVATE_CODE_IN_IMAGE},
    {AlarmKind::address, AddressForm::absolute, OVNI_PRIVATE_CODE_PC},
    {AlarmKind::enter_function, AddressForm::none, OVNI_PRIVATE_CODE_ENTRY},
    {AlarmKind::exit_function, AddressForm::none, OVNI_PRIVATE_CODE_EXIT},
    {AlarmKind::ssc, AddressForm::none, OVNI_PRIVATE_CODE_SSC},
    {AlarmKind::magic, AddressForm::none, OVNI_PRIVATE_CODE_MAGIC},
    {AlarmKind::cpuid, AddressForm::none, OVNI_PRIVATE_CODE_CPUID},
    {AlarmKind::int3, AddressForm::none, OVNI_PRIVATE_CODE_INT3},
    {AlarmKind::icount, AddressForm::none, OVNI_PRIVATE_CODE_ICOUNT},
    {AlarmKind::uniform, AddressForm::none, OVNI_PRIVATE_CODE_UNIFORM},
    {AlarmKind::itext, AddressForm::none, OVNI_PRIVATE_CODE_ITEXT},
    {AlarmKind::isa_extension, AddressForm::none, OVNI_PRIVATE_CODE_ISA_EXTENSION},
    {AlarmKind::isa_category, AddressForm::none, OVNI_PRIVATE_CODE_ISA_CATEGORY},
};

// Null for an alarm that does not wait for code.
const CodeKind* code_kind_of(const Alarm& alarm) {
    const CodeKind* found = std::ranges::find_if(code_kinds, [&](const CodeKind& row) {
        return row.kind == alarm.kind && row.form == alarm.address_form;
    });
    return found == std::end(code_kinds) ? nullptr : found;
}

}  // namespace

Running::Running(RegionController& owner, Service& service, const Plan& plan, const ControlSettings& settings,
                 uint64_t born) noexcept
    : owner_(owner),
      service_(service),
      born_(born),
      count_(alarms_of(plan)),
      facts_(facts_of(plan, count_)),
      awaited_calls_(calls_awaited_by(plan)),
      counting_(settings.counting),
      arms_others_(has_alarm(plan,
                             [](const Alarm& alarm) {
                                 return alarm.is_broadcast || alarm.is_global || alarm.thread.has_value() ||
                                        alarm.kind == AlarmKind::uniform ||
                                        alarm.kind == AlarmKind::timeout ||
                                        alarm.kind == AlarmKind::interactive;
                             })),
      awaits_pcontrol_(has_alarm(plan, [](const Alarm& alarm) { return alarm.kind == AlarmKind::pcontrol; })),
      decides_(has_alarm(
          plan,
          [](const Alarm& alarm) { return alarm.event == Event::start || alarm.event == Event::stop; })),
      needs_service_(has_alarm(plan,
                               [](const Alarm& alarm) {
                                   return alarm.kind == AlarmKind::timeout ||
                                          alarm.kind == AlarmKind::interactive;
                               })),
      engine_(plan, {ThreadTable::most, settings.default_start, {this, fired, armed}}) {
    set_code_alarms(plan);
    is_laid_out_ = true;
}

void Running::thread_begins(Thread thread) noexcept {
    auto* code_armed = code_armed_.load();
    if (code_armed == nullptr) return;
    for (const ovni_private_code_alarm& alarm : code_alarms_)
        if (engine_.is_armed(thread, alarm.number)) code_armed(alarm.number, 1, 0);
}

void Running::set_code_alarms(const Plan& plan) noexcept {
    for (const Chain& chain : plan.chains)
        for (const Alarm& alarm : chain.alarms) code_texts_.push_back(alarm.text);
    uint16_t number = 0;
    for (const Chain& chain : plan.chains)
        for (const Alarm& alarm : chain.alarms) {
            if (const CodeKind* row = code_kind_of(alarm)) {
                facts_[number].is_of_code = true;
                code_alarms_.push_back({number, row->code, code_texts_[number].c_str(), alarm.value});
            }
            ++number;
        }
}

void Running::fired(void* self, const Firing& firing) noexcept {
    auto& running = *static_cast<Running*>(self);
    bool is_default = firing.alarm == no_alarm;
    running.owner_.fired(firing, is_default ? default_start_cause : running.facts_[firing.alarm].text);
}

// Alarms that the engine arms while it is made count from the beginning of the program.
void Running::armed(void* self, uint16_t alarm, uint32_t thread) noexcept {
    auto& running = *static_cast<Running*>(self);
    AlarmFacts& facts = running.facts_[alarm];
    if (auto* code_armed = running.code_armed_.load(); code_armed && facts.is_of_code) {
        const bool is_here = own_thread.phase == Phase::attached &&
                             (thread == all_threads || thread == own_thread.thread.number);
        const bool is_elsewhere = thread == all_threads || thread != own_thread.thread.number;
        code_armed(alarm, is_here, is_elsewhere);
    }
    if (facts.kind == AlarmKind::timeout) {
        uint64_t waited = running.is_laid_out_ ? 0 : writer::monotonic_clock() - running.born_;
        running.arm_timer(alarm, thread, facts.ns - std::min(waited, facts.ns));
    } else if (facts.kind == AlarmKind::interactive && running.is_latched.exchange(false)) {
        running.arm_timer(alarm, thread, 0);
    }
}

// A handler that interrupts the library cannot wake the service: its alarm never fires.
void Running::arm_timer(uint16_t alarm, uint32_t thread, uint64_t ns) noexcept {
    AlarmFacts& facts = facts_[alarm];
    if (thread == all_threads || facts.is_single) facts.is_due.store(false, std::memory_order_relaxed);
    facts.deadline.store(writer::monotonic_clock() + ns, std::memory_order_relaxed);
    if (!is_laid_out_ || !is_amid_of_program()) service_.arm_timer(alarm, thread, ns);
}

}  // namespace ovni::region
