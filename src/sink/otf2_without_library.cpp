#include "sink/missing_format.hpp"
#include "sink/otf2_sink.hpp"

namespace ovni {

std::unique_ptr<Sink> make_otf2_sink(const std::filesystem::path& /*path*/) {
    return std::make_unique<MissingFormat>("--otf2: this build has no OTF2");
}

}  // namespace ovni
