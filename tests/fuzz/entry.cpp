// The entry of libFuzzer to a target.
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    ovni::fuzz::take({reinterpret_cast<const char*>(data), size});
    return 0;
}
