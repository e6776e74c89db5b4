#include "messages/traffic_rows.hpp"

#include <algorithm>

#include "model/paraver_mpi.hpp"

namespace ovni {

namespace {

int32_t thread_of(const System& system, uint32_t stream) {
    return stream == MessageEnd::no_stream ? WaitRow::no_thread
                                           : static_cast<int32_t>(system.thread_of_stream(stream));
}

WaitRow row_of(const System& system, const Wait& wait, int64_t origin) {
    return {.time = wait.begin - origin,
            .end = wait.end - origin,
            .waited = wait.length(),
            .cause_time = wait.cause_time - origin,
            .bound = wait.bound,
            .thread = thread_of(system, wait.stream),
            .cause = thread_of(system, wait.cause_stream),
            .wait = static_cast<int32_t>(wait.kind),
            .function = static_cast<int32_t>(function_value(wait.function))};
}

CollectiveRow row_of(const System& system, const CollectiveEnd& end, int64_t origin) {
    CollectiveRow row{.time = end.enter - origin,
                      .end = end.leave - origin,
                      .sent = end.sent,
                      .received = end.received,
                      .communicator = end.communicator,
                      .scope = static_cast<int32_t>(end.scope),
                      .turn = static_cast<int32_t>(end.turn),
                      .thread = thread_of(system, end.stream),
                      .rank = end.rank,
                      .root = end.root,
                      .members = static_cast<int32_t>(end.size),
                      .function = static_cast<int32_t>(function_value(end.function))};
    if (end.completed_in == MessageEnd::no_stream) {
        row.wait_begin = CollectiveRow::never;
        return row;
    }
    row.wait_begin = end.wait_begin - origin;
    row.wait_end = end.wait_end - origin;
    row.completed_by = static_cast<int32_t>(function_value(end.completed_by));
    return row;
}

template <class Row>
void drop_later(std::vector<Row>& rows, int64_t time) {
    rows.erase(std::ranges::upper_bound(rows, time, {}, &Row::time), rows.end());
}

template <class Row, class Item>
std::vector<Row> rows_of(const System& system, const std::vector<Item>& items, int64_t origin) {
    std::vector<Row> rows;
    rows.reserve(items.size());
    for (const Item& item : items) rows.push_back(row_of(system, item, origin));
    std::ranges::sort(rows, {}, &Row::key);
    return rows;
}

}  // namespace

void TrafficRows::end_at(int64_t time) {
    drop_later(waits, time);
    drop_later(collectives, time);
}

TrafficRows traffic_rows(const System& system, const std::vector<Wait>& waits,
                         const std::vector<CollectiveEnd>& collectives, int64_t origin) {
    return {rows_of<WaitRow>(system, waits, origin), rows_of<CollectiveRow>(system, collectives, origin)};
}

}  // namespace ovni
