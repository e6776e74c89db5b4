// The state of a row in the timeline of a page: one category at a time, and besides it the region and the
// wait that the row is in. Plain data and tables.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "emu/plan/plan.hpp"
#include "emu/records/record.hpp"
#include "ovni/mpi_events.h"

namespace ovni {

// The category of a row is what the first of these types shows that shows anything: MPI, locks, OpenMP, the
// subsystems of Nanos6 and nOS-V, states of threads.
inline constexpr std::array<uint16_t, 6> page_types = {25, 310, 50, 37, 13, prv_type::thread_state};
inline constexpr uint16_t page_region_type = prv_type::first_mark + OVNI_MPI_REGION_MARK;

// The place of a type in page_types, and its value.
constexpr uint32_t page_category(size_t place, int64_t value) {
    return static_cast<uint32_t>(place << 16) | static_cast<uint32_t>(value);
}
inline constexpr uint32_t page_nothing = page_category(page_types.size() - 1, 0);

// "MPI_Recv", as labels of the schema have it.
std::string page_category_name(uint32_t category, const FileSchema& threads);
// The label of a value, or its number.
std::string page_label(uint16_t type, int64_t value, const FileSchema& threads);

class PageState {
 public:
    enum class Changed : uint8_t { nothing, category, region, wait };
    Changed take(const Record& record);

    uint32_t category() const;
    int64_t region() const { return region_; }
    int64_t wait() const { return wait_; }

 private:
    std::array<int64_t, page_types.size()> shown_{};
    int64_t region_ = 0, wait_ = 0;
};

// True for types that the timeline of a page shows.
bool is_on_page(uint16_t type);

}  // namespace ovni
