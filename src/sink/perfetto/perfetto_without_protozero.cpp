#include "base/error.hpp"
#include "sink/perfetto/perfetto_sink.hpp"

namespace ovni {

std::unique_ptr<Sink> make_perfetto_sink(const std::filesystem::path& /*path*/) {
    throw UsageError("--perfetto: this build has no protozero: install libprotozero-dev, and build again");
}

}  // namespace ovni
