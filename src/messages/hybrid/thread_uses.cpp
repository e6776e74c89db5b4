#include "messages/hybrid/thread_uses.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "emu/plan/plan.hpp"

namespace ovni {

namespace {

struct TypeRow {
    uint16_t type;
    ProcessUses::Shown shown;
};
constexpr TypeRow types[] = {
    {prv_type::thread_state, ProcessUses::Shown::life},
    {prv_type::mpi_function, ProcessUses::Shown::mpi},
    {prv_type::wait_state, ProcessUses::Shown::mpi_wait},
    {prv_type::openmp_subsystem, ProcessUses::Shown::openmp},
    {prv_type::openmp_region, ProcessUses::Shown::openmp_region},
    {prv_type::posix_wait, ProcessUses::Shown::posix_wait},
};

constexpr size_t type_count = prv_type::wait_state + 1;

// A row by its type; null: it does not count.
constexpr auto row_of_type = [] {
    std::array<const TypeRow*, type_count> rows{};
    for (const TypeRow& row : types) rows[row.type] = &row;
    return rows;
}();

// A paused thread leaves its CPU to others.
int64_t is_running(int64_t state) {
    constexpr int64_t running = 1, cooling = 4, warming = 5;
    return state == running || state == cooling || state == warming ? 1 : 0;
}

// In times of the trace.
std::vector<RegionBorder> by_process(std::vector<RegionBorder> borders, int64_t origin) {
    for (RegionBorder& border : borders) border.time -= origin;
    std::ranges::stable_sort(borders, {}, &RegionBorder::process);
    return borders;
}

}  // namespace

ThreadUses::ThreadUses(const System& system, std::vector<RegionBorder> borders, int64_t origin)
    : system_(system),
      borders_(by_process(std::move(borders), origin)),
      processes_(system.processes().size()) {
    for (uint32_t p = 0; p < processes_.size(); ++p)
        processes_[p].borders = std::ranges::equal_range(borders_, p, {}, &RegionBorder::process);
}

void ThreadUses::cross_borders(Process& process, int64_t time) {
    for (; process.next_border < process.borders.size(); ++process.next_border) {
        const RegionBorder& border = process.borders[process.next_border];
        if (border.time > time) return;
        if (border.what == RegionChange::What::open)
            process.uses->open(border.region, border.time);
        else
            process.uses->close(border.region, border.time);
    }
}

void ThreadUses::take(std::span<const Record> records) {
    for (const Record& record : records) {
        const TypeRow* row = record.type < type_count ? row_of_type[record.type] : nullptr;
        if (!row || record.thread_row == Record::no_row || record.punctual != Record::Punctual::no) continue;
        const ThreadInfo& thread = system_.threads()[record.thread_row];
        const ProcessInfo& info = system_.processes()[thread.process];
        Process& process = processes_[thread.process];
        if (!process.uses) {
            process.uses.emplace(info.thread_count);
            if (process.borders.empty()) process.uses->open(0, record.time);
        }
        cross_borders(process, record.time);
        process.uses->show(record.thread_row - info.first_thread, row->shown,
                           row->shown == ProcessUses::Shown::life ? is_running(record.value) : record.value,
                           record.time);
    }
}

void ThreadUses::finish(int64_t duration) {
    for (Process& process : processes_) {
        if (!process.uses) continue;
        cross_borders(process, duration);
        process.uses->finish(duration);
    }
}

std::vector<ProcessUse> ThreadUses::processes() const {
    std::vector<ProcessUse> all;
    for (uint32_t p = 0; p < processes_.size(); ++p) {
        if (!processes_[p].uses) continue;
        for (ProcessUse& use : processes_[p].uses->regions()) {
            use.process = p;
            use.has_mpi = processes_[p].borders.empty() ? 0 : 1;
            all.push_back(use);
        }
    }
    return all;
}

std::vector<ConstructUse> ThreadUses::constructs() const {
    std::vector<ConstructUse> all;
    for (uint32_t p = 0; p < processes_.size(); ++p) {
        if (!processes_[p].uses) continue;
        for (const auto& [label, construct] : processes_[p].uses->constructs()) {
            all.push_back(construct);
            all.back().process = p;
        }
    }
    return all;
}

std::vector<SleepingThread> ThreadUses::sleepers() const {
    std::vector<SleepingThread> all;
    for (uint32_t p = 0; p < processes_.size(); ++p) {
        if (!processes_[p].uses) continue;
        const uint32_t first = system_.processes()[p].first_thread;
        for (const ProcessUses::Sleeper& sleeper : processes_[p].uses->sleepers())
            all.push_back({first + sleeper.thread, p, sleeper.life, sleeper.asleep});
    }
    return all;
}

}  // namespace ovni
