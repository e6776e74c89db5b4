#include "messages/traffic_rows.hpp"

#include <algorithm>
#include <functional>
#include <span>

#include "messages/waits/object_collectives.hpp"
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

ObjectKey key_of_object(const MpiObject& object) {
    return {.communicator = object.communicator_id,
            .scope = static_cast<int32_t>(object.scope),
            .turn = static_cast<int32_t>(object.turn),
            .kind = static_cast<int32_t>(object.kind),
            .process = object.communicator_id == 0 ? static_cast<int32_t>(object.process) : 0};
}

ObjectRow row_of(const System& system, const ObjectCall& call, const std::vector<MpiObject>& objects,
                 int64_t origin) {
    return {.time = call.enter - origin,
            .end = call.leave - origin,
            .complete = call.complete == ObjectCall::never ? ObjectRow::never : call.complete - origin,
            .bytes = call.bytes,
            .result = call.result,
            .object = key_of_object(objects[call.object]),
            .thread = thread_of(system, call.stream),
            .target = call.target,
            .function = static_cast<int32_t>(function_value(call.function)),
            .has_request = call.has_request};
}

UnmatchedRow row_of(const System& system, const UnmatchedEnd& unmatched, int64_t origin) {
    const MessageEnd& end = unmatched.end;
    const bool is_complete = unmatched.is_send == 0 && end.has_ended();
    return {.posted = end.posted - origin,
            .complete = is_complete ? end.wait_end - origin : UnmatchedRow::never,
            .bytes = end.bytes,
            .communicator = unmatched.communicator,
            .thread = thread_of(system, end.stream),
            .peer = unmatched.peer,
            .tag = unmatched.tag,
            .is_send = static_cast<int32_t>(unmatched.is_send),
            .cause = static_cast<int32_t>(unmatched.cause),
            .function = static_cast<int32_t>(function_value(end.function))};
}

template <class Row, class Time>
void drop_later(std::vector<Row>& rows, int64_t time, Time Row::*begin) {
    rows.erase(std::ranges::upper_bound(rows, time, {}, begin), rows.end());
}

template <class Row, class Items, class... More>
std::vector<Row> rows_of(const System& system, const Items& items, const More&... more) {
    std::vector<Row> rows;
    rows.reserve(items.size());
    for (const auto& item : items) rows.push_back(row_of(system, item, more...));
    std::ranges::sort(rows, {}, &Row::key);
    return rows;
}

}  // namespace

void TrafficRows::end_at(int64_t time) {
    drop_later(waits, time, &WaitRow::time);
    drop_later(collectives, time, &CollectiveRow::time);
    drop_later(objects, time, &ObjectRow::time);
    drop_later(unmatched, time, &UnmatchedRow::posted);
}

std::vector<WaitRow> wait_rows(const System& system, std::span<const Wait> waits, int64_t origin) {
    return rows_of<WaitRow>(system, waits, origin);
}

TrafficRows traffic_rows(const System& system, const TrafficAnalysis& found, int64_t origin) {
    TrafficRows rows;
    rows.waits = wait_rows(system, found.waits, origin);
    // Calls with windows and files have rows of their own.
    const auto of_objects = std::ranges::partition_point(found.collectives, std::not_fn(is_of_object));
    rows.collectives =
        rows_of<CollectiveRow>(system, std::span(found.collectives.begin(), of_objects), origin);
    rows.objects = rows_of<ObjectRow>(system, found.objects.calls, found.objects.objects, origin);
    rows.unmatched = rows_of<UnmatchedRow>(system, found.unmatched, origin);
    for (const MpiObject& object : found.objects.objects)
        rows.object_facts.push_back(
            {key_of_object(object), object.name, object.process, object.rank, object.is_made});
    return rows;
}

}  // namespace ovni
