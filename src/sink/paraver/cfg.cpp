#include "sink/paraver/cfg.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/open_directory.hpp"
#include "base/temporary_output.hpp"
#include "core/counter_names.hpp"
#include "model/paraver_mpi.hpp"

namespace ovni {

namespace {

namespace fs = std::filesystem;

// {0} title of the window, {1} colour mode, {2} event types, their number first, {3} their labels, also with
// the number, {4} which event gives the value of a stretch of time. Window configurations of Paraver name a
// function for every level of its object hierarchy; only that of the thread level matters.
constexpr std::string_view window = R"(#ParaverCFG
ConfigFile.Version: 3.4
ConfigFile.NumWindows: 1


################################################################################
< NEW DISPLAYING WINDOW {0} >
################################################################################
window_name {0}
window_type single
window_id 1
window_position_x 0
window_position_y 0
window_width 900
window_height 300
window_comm_lines_enabled true
window_flags_enabled false
window_noncolor_mode true
window_color_mode {1}
window_logical_filtered true
window_physical_filtered false
window_comm_fromto true
window_comm_tagsize true
window_comm_typeval true
window_units Microseconds
window_maximum_y 100.000000000000
window_minimum_y 0.000000000000
window_compute_y_max true
window_level thread
window_scale_relative 1.000000000000
window_end_time_relative 1.000000000000
window_object appl {{ 1, {{ All }} }}
window_begin_time_relative 0.000000000000
window_open true
window_pos_to_disp 897
window_drawmode draw_randnotzero
window_drawmode_rows draw_randnotzero
window_pixel_size 1
window_labels_to_draw 1
window_selected_functions {{ 14, {{ {{cpu, Active Thd}}, {{appl, Adding}}, {{task, Adding}}, {{thread, {4}}}, {{node, Adding}}, {{system, Adding}}, {{workload, Adding}}, {{from_obj, All}}, {{to_obj, All}}, {{tag_msg, All}}, {{size_msg, All}}, {{bw_msg, All}}, {{evt_type, =}}, {{evt_value, All}} }} }}
window_compose_functions {{ 9, {{ {{compose_cpu, As Is}}, {{compose_appl, As Is}}, {{compose_task, As Is}}, {{compose_thread, As Is}}, {{compose_node, As Is}}, {{compose_system, As Is}}, {{compose_workload, As Is}}, {{topcompose1, As Is}}, {{topcompose2, As Is}} }} }}
window_filter_module evt_type {2}
window_filter_module evt_type_label {3}
window_synchronize 1
)";

constexpr std::string_view color_mode(ViewSpec::Colors colors) {
    return colors == ViewSpec::Colors::code ? "window_in_code_mode" : "window_in_null_gradient_mode";
}

std::string value_of(ViewSpec::ValueOf value) {
    return value == ViewSpec::ValueOf::last_event ? "Last Evt Val" : "Next Evt Val";
}

fs::path view_path(const fs::path& into, const ViewSpec& view) {
    return into / (view.row == ViewSpec::Row::thread ? "thread" : "cpu") / view.file;
}

void write_all(const fs::path& into, std::span<const ModelSpec* const> models) {
    for (const ModelSpec* model : models) {
        for (const ViewSpec& view : model->views) {
            fs::path path = view_path(into, view);
            fs::create_directories(path.parent_path());
            write_file(path, view_text(view));
        }
    }
}

// As write_all() leaves them. What cannot be read is another's.
bool are_written(const fs::path& into, std::span<const ModelSpec* const> models) try {
    const auto is_written = [&](const ViewSpec& view) {
        return read_file(view_path(into, view)) == view_text(view);
    };
    return std::ranges::all_of(
        models, [&](const ModelSpec* model) { return std::ranges::all_of(model->views, is_written); });
} catch (const Error&) {
    return false;
}

// The user may have changed one that is there. `view`: its path in the outputs.
void write_new(const fs::path& outputs, const fs::path& view, const std::string& text) {
    const Fd into = open_directory_in(outputs, view.parent_path(), Missing::is_made);
    const fs::path path = name_of_open(into, outputs / view.parent_path()) / view.filename();
    if (!fs::exists(fs::symlink_status(path))) write_file(path, text);
}

// A counter has at an event what was counted up to there.
void write_counter(const fs::path& outputs, size_t number, const std::string& counter) {
    std::string name = counter;
    std::ranges::replace(name, '/', '_');
    std::string file = fmt::format("nosv/hwc-{}.cfg", name);
    for (auto row : {ViewSpec::Row::thread, ViewSpec::Row::cpu}) {
        std::string title = fmt::format("nOS-V {} of the {} thread", counter,
                                        row == ViewSpec::Row::thread ? "ACTIVE" : "RUNNING");
        ViewSpec view{file,
                      title,
                      static_cast<uint16_t>(prv_type::first_counter + number),
                      row,
                      ViewSpec::Colors::gradient,
                      ViewSpec::ValueOf::next_event};
        write_new(outputs, view_path("cfg", view), view_text(view));
    }
}

// A view of a counter of the model `counters`, in the rows of threads.
void write_instant(const fs::path& outputs, const InstantPlan& counter) {
    std::string name = counter.name.substr(0, counter.name.find(' '));
    auto value = counter.number < counter_type::resident_memory ? ViewSpec::ValueOf::next_event
                                                                : ViewSpec::ValueOf::last_event;
    std::string file = fmt::format("counters/{}.cfg", name);
    ViewSpec view{file, counter.name, counter.number, ViewSpec::Row::thread, ViewSpec::Colors::gradient,
                  value};
    write_new(outputs, view_path("cfg", view), view_text(view));
}

// A view of the callers of MPI at one level, or of their lines, in the rows of threads.
void write_caller(const fs::path& outputs, const EventType& callers) {
    bool is_line = callers.shown() > prv_type::caller_line;
    uint32_t level = callers.shown() - (is_line ? prv_type::caller_line : prv_type::caller);
    std::string file = fmt::format("mpi/caller{}-{}.cfg", is_line ? "-line" : "", level);
    ViewSpec view{file, callers.title, callers.shown()};
    write_new(outputs, view_path("cfg", view), view_text(view));
}

using Colors = ViewSpec::Colors;

// Views of mpi.prv, each of one or more event types.
struct MpiView {
    std::string_view file, title;
    Colors colors;
    std::vector<std::pair<uint32_t, std::string_view>> types;
};

const std::vector<MpiView>& mpi_views() {
    using namespace paraver_mpi;
    const std::pair<uint32_t, std::string_view> messages = {point_to_point, "MPI Point-to-point"},
                                                collectives = {collective, "MPI Collective Comm"},
                                                others = {other, "MPI Other"},
                                                rma = {one_sided, "MPI One-sided"}, files = {io, "MPI I/O"};
    static const std::vector<MpiView> views = {
        {"calls.cfg", "MPI calls", Colors::code, {messages, collectives, others, rma, files}},
        {"messages.cfg", "MPI messages", Colors::code, {messages}},
        {"collectives.cfg", "MPI collectives", Colors::code, {collectives}},
        {"collective-roots.cfg", "Roots of collectives", Colors::code, {{is_root, "Root in MPI Global OP"}}},
        {"collective-communicators.cfg",
         "Communicators of collectives",
         Colors::code,
         {{communicator, "Communicator in MPI Global OP"}}},
        {"collective-sent.cfg",
         "Bytes sent in collectives",
         Colors::gradient,
         {{bytes_sent, "Send Size in MPI Global OP"}}},
        {"collective-received.cfg",
         "Bytes received in collectives",
         Colors::gradient,
         {{bytes_received, "Recv Size in MPI Global OP"}}},
        {"one-sided.cfg", "MPI one-sided calls", Colors::code, {rma}},
        {"io.cfg", "MPI I/O", Colors::code, {files}},
        {"wait-states.cfg", "MPI wait states", Colors::code, {{prv_type::wait_state, "MPI wait state"}}},
        {"critical-path.cfg",
         "MPI critical path",
         Colors::code,
         {{prv_type::critical_path, "MPI critical path"}}},
    };
    return views;
}

std::string text_of(const MpiView& view) {
    std::string types = std::to_string(view.types.size()), labels = types;
    for (const auto& [type, label] : view.types) {
        types += fmt::format(" {}", type);
        labels += fmt::format(" \"{}\"", label);
    }
    return fmt::format(window, view.title, color_mode(view.colors), types, labels,
                       value_of(ViewSpec::ValueOf::last_event));
}

}  // namespace

void write_mpi_views(const fs::path& directory) {
    try {
        const fs::path into = fs::path("cfg") / "mpi.prv";
        for (const MpiView& view : mpi_views()) write_new(directory, into / view.file, text_of(view));
    } catch (const std::exception& e) {
        log::warn_of_output("cannot write window configurations of mpi.prv: {}", e.what());
    }
}

std::string view_text(const ViewSpec& view) {
    std::string title =
        fmt::format("{}: {}", view.row == ViewSpec::Row::thread ? "Thread" : "CPU", view.title);
    return fmt::format(window, title, color_mode(view.colors), fmt::format("1 {}", view.prv_type),
                       fmt::format("1 \"{}\"", view.title), value_of(view.value));
}

void write_trace_views(const fs::path& directory, const Plan& plan) {
    try {
        for (size_t i = 0; i < plan.counters.size(); ++i) write_counter(directory, i, plan.counters[i]);
        for (const InstantPlan& instant : plan.instants) write_instant(directory, instant);
        for (const EventType& callers : plan.schema.thread.types_of_expansions)
            write_caller(directory, callers);
    } catch (const std::exception& e) {
        log::warn_of_output("cannot write window configurations of counters and callers: {}", e.what());
    }
}

Views write_views(const fs::path& directory, std::span<const ModelSpec* const> models) {
    const fs::path cfg = directory / "cfg";
    if (fs::exists(fs::symlink_status(cfg))) {
        if (!std::getenv("OVNI_CONFIG_DIR") && are_written(cfg, models)) return Views::written;
        log::warn_of_output("{} exists already, window configurations are not written", cfg.string());
        return Views::left_alone;
    }
    // The directory gets its name only when it is whole, because it would not be written again.
    const fs::path beside = temporary_name(cfg);
    remove_left_over(cfg);
    auto failure = [&](const std::string& cause, const std::string& at) {
        std::error_code ignored;
        fs::remove_all(beside, ignored);
        bool passing = at.empty() || at.starts_with(beside.native());
        const char* advice = passing ? " (-o names another directory)" : "";
        return Error("cannot write window configurations: " + cause + advice, passing ? cfg.string() : at);
    };
    try {
        const Fd held = make_new_directory(beside, cfg);
        const fs::path into = name_of_open(held, beside);
        if (const char* given = std::getenv("OVNI_CONFIG_DIR"))
            fs::copy(given, into, fs::copy_options::recursive);
        else
            write_all(into, models);
        // Another emulation may have been faster: it has written equal views.
        std::error_code fault;
        fs::rename(beside, cfg, fault);
        if (!fault) return expect_unchanged(held, cfg), Views::written;
        if (!fs::is_directory(cfg)) throw fs::filesystem_error("", beside, fault);
        fs::remove_all(beside);
        return Views::left_alone;
    } catch (const fs::filesystem_error& e) {
        throw failure(e.code().message(), usual_name(e.path1()));
    } catch (const Error& e) {
        throw failure(e.cause, e.path);
    }
}

}  // namespace ovni
