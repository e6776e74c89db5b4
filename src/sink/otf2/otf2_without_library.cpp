#include "base/error.hpp"
#include "sink/otf2/otf2_sink.hpp"

namespace ovni {

std::unique_ptr<Sink> make_otf2_sink(const std::filesystem::path& /*path*/) {
    throw UsageError("--otf2: this build has no OTF2: install libotf2-trace-dev, and build again");
}

}  // namespace ovni
