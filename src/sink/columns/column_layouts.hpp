// The columns of datasets: their places in a row in memory, and what they mean.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>

#include "sink/columns/column_rows.hpp"
#include "sink/columns/columns_file.hpp"
#include "sink/columns/hdf5_file.hpp"

namespace ovni {

namespace columns {

using Field = Hdf5File::RowField;
using enum Hdf5File::RowField::Type;

inline constexpr Field of_channel[] = {
    {"time", offsetof(ColumnRow, time), int64},
    {"thread", offsetof(ColumnRow, thread), int32},
    {"cpu", offsetof(ColumnRow, cpu), int32},
    {"value", offsetof(ColumnRow, value), int64},
};
inline constexpr Field of_breakdown[] = {
    {"time", offsetof(ColumnRow, time), int64},
    {"row", offsetof(ColumnRow, thread), int32},
    {"value", offsetof(ColumnRow, value), int64},
};

}  // namespace columns

inline constexpr Hdf5File::RowType channel_rows{sizeof(ColumnRow), columns::of_channel};
inline constexpr Hdf5File::RowType breakdown_rows{sizeof(ColumnRow), columns::of_breakdown};

// A column of data that crosses processes, with attributes that explain it.
struct AboutColumn {
    const char* name;
    size_t offset;
    Hdf5File::RowField::Type type;
    const char* about;
};

namespace columns {

inline constexpr AboutColumn of_messages[] = {
    {"time", offsetof(MessageRow, time), int64,
     "the call that posts the send begins, ns since the first event"},
    {"send_end", offsetof(MessageRow, send_end), int64, "the call that posts the send ends"},
    {"receive_begin", offsetof(MessageRow, receive_begin), int64, "the call that posts the receive begins"},
    {"receive_end", offsetof(MessageRow, receive_end), int64, "the call that completes it ends"},
    {"sender", offsetof(MessageRow, sender), int32, "row in rows/threads of the thread that posts the send"},
    {"receiver", offsetof(MessageRow, receiver), int32,
     "row in rows/threads of the thread that posts the receive"},
    {"bytes", offsetof(MessageRow, bytes), uint64, "length; 2^64-1: unknown"},
    {"tag", offsetof(MessageRow, tag), int32, "of MPI"},
    {"communicator", offsetof(MessageRow, communicator), uint64,
     "id, the same in all processes; 1: MPI_COMM_WORLD, 2: MPI_COMM_SELF"},
};
inline constexpr AboutColumn of_waits[] = {
    {"time", offsetof(WaitRow, time), int64, "the wait begins, ns since the first event"},
    {"end", offsetof(WaitRow, end), int64, "it ends"},
    {"waited", offsetof(WaitRow, waited), int64, "ns of these in calls of MPI"},
    {"cause_time", offsetof(WaitRow, cause_time), int64, "what was waited for was done then"},
    {"bound", offsetof(WaitRow, bound), int64,
     "+- ns by which the clocks of the two nodes can be wrong; -1: unknown"},
    {"thread", offsetof(WaitRow, thread), int32, "row in rows/threads of the thread that waits"},
    {"cause", offsetof(WaitRow, cause), int32,
     "row in rows/threads of the thread that was late; -1: no one thread"},
    {"wait", offsetof(WaitRow, wait), int32, "what it waits for: a value of type 320, see labels"},
    {"function", offsetof(WaitRow, function), int32, "the call that waits: a value of type 25, see labels"},
};
inline constexpr AboutColumn of_collectives[] = {
    {"time", offsetof(CollectiveRow, time), int64, "the call of the member begins, ns since the first event"},
    {"end", offsetof(CollectiveRow, end), int64, "it ends"},
    {"wait_begin", offsetof(CollectiveRow, wait_begin), int64,
     "the call that completes the collective begins; -1: none"},
    {"wait_end", offsetof(CollectiveRow, wait_end), int64, "it ends; -1: none"},
    {"sent", offsetof(CollectiveRow, sent), uint64, "bytes that the member gives"},
    {"received", offsetof(CollectiveRow, received), uint64, "bytes that it gets"},
    {"communicator", offsetof(CollectiveRow, communicator), uint64, "id, as in /messages"},
    {"scope", offsetof(CollectiveRow, scope), int32,
     "which one it is of those with that id: each world has its MPI_COMM_WORLD"},
    {"turn", offsetof(CollectiveRow, turn), int32,
     "the how manieth collective on the communicator it is, from 1"},
    {"thread", offsetof(CollectiveRow, thread), int32, "row in rows/threads of the thread that calls it"},
    {"rank", offsetof(CollectiveRow, rank), int32, "of the member in the communicator"},
    {"root", offsetof(CollectiveRow, root), int32,
     "rank of the root; -1: none; of an intercommunicator as in MPI: -3 is MPI_ROOT"},
    {"members", offsetof(CollectiveRow, members), int32, "members of the communicator; 0: unknown"},
    {"function", offsetof(CollectiveRow, function), int32, "what it is: a value of type 25, see labels"},
    {"completed_by", offsetof(CollectiveRow, completed_by), int32,
     "the call that completes it: a value of type 25; 0: none"},
};

// The fields alone.
template <const auto& columns>
inline constexpr auto fields = [] {
    std::array<Field, std::size(columns)> all{};
    for (size_t i = 0; i < all.size(); ++i) all[i] = {columns[i].name, columns[i].offset, columns[i].type};
    return all;
}();

}  // namespace columns

// A dataset of what crosses processes.
struct TrafficLayout {
    ColumnKind kind;
    const char* path;
    const char* about;
    std::span<const AboutColumn> columns;
    Hdf5File::RowType rows;
};
inline constexpr TrafficLayout traffic_layouts[] = {
    {ColumnKind::messages,
     "/messages",
     "messages of MPI: sends with the receives that took them, in the order of time",
     columns::of_messages,
     {sizeof(MessageRow), columns::fields<columns::of_messages>}},
    {ColumnKind::waits,
     "/waits",
     "times that threads spent in calls of MPI because another process was late, in the order of time",
     columns::of_waits,
     {sizeof(WaitRow), columns::fields<columns::of_waits>}},
    {ColumnKind::collectives,
     "/collectives",
     "collectives of MPI: a row for each member, in the order of time",
     columns::of_collectives,
     {sizeof(CollectiveRow), columns::fields<columns::of_collectives>}},
};

// Null: the dataset is another one.
inline const TrafficLayout* traffic_layout(ColumnKind kind) {
    const auto* found = std::ranges::find(traffic_layouts, kind, &TrafficLayout::kind);
    return found == std::end(traffic_layouts) ? nullptr : found;
}

}  // namespace ovni
