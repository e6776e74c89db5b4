// Window configurations for Paraver, made from the views of the models: opening one shows one event type of
// the trace as a timeline.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "emu/plan/plan.hpp"
#include "model/model_spec.hpp"

namespace ovni {

// The text of one configuration file.
std::string view_text(const ViewSpec& view);

// Creates directory/cfg with the views of `models`. With OVNI_CONFIG_DIR set in the environment that
// directory is copied instead. A cfg that exists is left alone, with a warning if it has not all these views.
enum class Views : uint8_t { written, left_alone };
Views write_views(const std::filesystem::path& directory, std::span<const ModelSpec* const> models);

// Adds views of what this trace has to directory/cfg: counters, callers of MPI. Warns if that fails.
void write_trace_views(const std::filesystem::path& directory, const Plan& plan);

// Adds views of mpi.prv to directory/cfg. Warns if that fails.
void write_mpi_views(const std::filesystem::path& directory);

}  // namespace ovni
