#include "sink/page/page_states.hpp"

#include <algorithm>

namespace ovni {

namespace {

constexpr int64_t values = 1 << 16;

}  // namespace

std::string page_label(uint16_t type, int64_t value, const FileSchema& threads) {
    const auto found = std::ranges::find(threads.types, uint32_t{type}, &EventType::type);
    if (found != threads.types.end())
        if (const auto label = found->labels.find(value)) return std::string(*label);
    return std::to_string(value);
}

std::string page_category_name(uint32_t category, const FileSchema& threads) {
    return page_label(page_types[category >> 16], category % values, threads);
}

bool is_on_page(uint16_t type) {
    return type == page_region_type || type == prv_type::wait_state ||
           std::ranges::find(page_types, type) != page_types.end();
}

PageState::Changed PageState::take(const Record& record) {
    if (record.type == page_region_type) {
        if (region_ == record.value) return Changed::nothing;
        region_ = record.value;
        return Changed::region;
    }
    if (record.type == prv_type::wait_state) {
        if (wait_ == record.value) return Changed::nothing;
        wait_ = record.value;
        return Changed::wait;
    }
    const uint32_t before = category();
    const auto place = std::ranges::find(page_types, record.type) - page_types.begin();
    const bool is_small = record.value >= 0 && record.value < values;
    shown_[static_cast<size_t>(place)] = is_small ? record.value : 0;
    return category() == before ? Changed::nothing : Changed::category;
}

uint32_t PageState::category() const {
    for (size_t place = 0; place < shown_.size(); ++place)
        if (shown_[place] != 0) return page_category(place, shown_[place]);
    return page_nothing;
}

}  // namespace ovni
