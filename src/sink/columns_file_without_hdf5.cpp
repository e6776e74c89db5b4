#include "base/error.hpp"
#include "sink/columns_file.hpp"

namespace ovni {

std::unique_ptr<ColumnsFile> ColumnsFile::make(const std::filesystem::path&, const Schema&) {
    throw UsageError("--hdf5: this build has no HDF5");
}

}  // namespace ovni
