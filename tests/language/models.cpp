// The models of the programs of this folder, in place of those of the build (src/model/registered.cpp.in).
#include <array>

#include "model/model_spec.hpp"

namespace ovni {

extern const ModelSpec mpi_model;
extern const ModelSpec ovni_model;
extern const ModelSpec example_model;

std::span<const ModelSpec* const> all_models() {
    static constexpr std::array models{&mpi_model, &ovni_model, &example_model};
    return models;
}

}  // namespace ovni
