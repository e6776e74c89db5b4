#include "base/error.hpp"
#include "mpi/sync/samples_file.hpp"

namespace ovni::sync {

bool can_write_samples() {
    return false;
}

std::string samples_file(const std::vector<Node>& /*nodes*/, const std::vector<Sample>& /*samples*/) {
    throw Error("built without HDF5");
}

}  // namespace ovni::sync
