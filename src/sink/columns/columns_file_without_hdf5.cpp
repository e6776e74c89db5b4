#include "base/error.hpp"
#include "sink/columns/columns_file.hpp"

namespace ovni {

void ColumnsFile::expect_library() {
    throw UsageError("--hdf5: this build has no HDF5: install libhdf5-dev, and build again");
}

std::unique_ptr<ColumnsFile> ColumnsFile::make(const std::filesystem::path&, const Schema&) {
    return nullptr;
}

}  // namespace ovni
