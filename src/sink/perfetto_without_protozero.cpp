#include "sink/missing_format.hpp"
#include "sink/perfetto_sink.hpp"

namespace ovni {

std::unique_ptr<Sink> make_perfetto_sink(const std::filesystem::path& /*path*/) {
    return std::make_unique<MissingFormat>("--perfetto: this build has no protozero");
}

}  // namespace ovni
