#include "tests/support/temporary_directory.hpp"

#include <stdlib.h>

#include <system_error>

namespace ovni::test {

TemporaryDirectory::TemporaryDirectory(const std::filesystem::path& parent) {
    std::string name = parent / "ovni-test.XXXXXX";
    if (!::mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace ovni::test
