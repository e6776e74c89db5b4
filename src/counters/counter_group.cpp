#include "counters/counter_group.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "counters/counter_page.hpp"
#include "counters/perf_event.hpp"

namespace ovni::counters {

namespace {

constexpr size_t page_bytes = 4096;

// Extrapolates what was counted in a part of the time to all of it.
uint64_t scaled_up(uint64_t delta, uint64_t enabled, uint64_t running) noexcept {
    __extension__ using Wide = unsigned __int128;
    return running == 0 ? 0 : static_cast<uint64_t>(Wide{delta} * enabled / running);
}

}  // namespace

bool CounterGroup::takes(const CounterRow& row) const {
    return is_empty() || (kind_ == row.kind && !leads_group(row));
}

int CounterGroup::add(const CounterRow& row, size_t place) noexcept {
    Member member;
    member.place = static_cast<uint8_t>(place);
    member.descriptor = open_counter(row, is_empty() ? no_group : members_[0].descriptor);
    if (member.descriptor < 0) return errno;
    kind_ = row.kind;
    map_page(member);
    members_[size_++] = member;
    return 0;
}

void CounterGroup::begin() noexcept {
    Values values{};
    if (is_empty() || !read_all(values)) return;
    enable_group(members_[0].descriptor);
    enabled_ = values.enabled, running_ = values.running;
    for (size_t i = 0; i < size_; ++i) members_[i].last = values.of_member[i];
}

// Only counters of the processor can be read from there, and only if the system allows it.
void CounterGroup::map_page(Member& member) noexcept {
    has_pages_ = has_pages_ && can_read_pmc && kind_ == CounterKind::hardware;
    if (!has_pages_) return;
    void* page = ::mmap(nullptr, page_bytes, PROT_READ, MAP_SHARED, member.descriptor, 0);
    if (page != MAP_FAILED) member.page = static_cast<const perf_event_mmap_page*>(page);
    has_pages_ = member.page && member.page->cap_user_rdpmc;
}

bool CounterGroup::read_pages(uint64_t* now) noexcept {
    if (!has_pages_) return false;
    for (size_t i = 0; i < size_; ++i)
        if (!read_page(*members_[i].page, read_pmc, now[i])) return false;
    return true;
}

// Not by read(), where a thread can be cancelled.
bool CounterGroup::read_all(Values& values) const noexcept {
    if (!is_counter(members_[0].descriptor)) return false;
    const size_t bytes = (3 + size_) * sizeof(uint64_t);
    const long got = ::syscall(SYS_read, members_[0].descriptor, &values, bytes);
    return got == static_cast<long>(bytes) && values.count == size_;
}

CounterGroup::Reading CounterGroup::read(uint64_t* deltas) noexcept {
    Values values{};
    Reading reading = Reading::whole;
    uint64_t enabled = 1, running = 1;
    if (!read_pages(values.of_member)) {
        if (!read_all(values)) return Reading::gone;
        enabled = values.enabled - enabled_, running = values.running - running_;
        enabled_ = values.enabled, running_ = values.running;
        if (running < enabled) reading = Reading::scaled, has_pages_ = false;
    }
    for (size_t i = 0; i < size_; ++i) {
        Member& member = members_[i];
        const uint64_t delta = values.of_member[i] - member.last;
        deltas[member.place] += reading == Reading::scaled ? scaled_up(delta, enabled, running) : delta;
        member.last = values.of_member[i];
    }
    return reading;
}

void CounterGroup::close() noexcept {
    for (size_t i = size_; i-- > 0;) {
        Member& member = members_[i];
        if (member.page) ::munmap(const_cast<perf_event_mmap_page*>(member.page), page_bytes);
        if (is_counter(member.descriptor)) ::close(member.descriptor);
    }
    *this = CounterGroup();
}

}  // namespace ovni::counters
