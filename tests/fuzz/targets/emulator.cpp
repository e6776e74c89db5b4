// A file stream.json and its stream.obs through the emulator, strictly and with --keep-going. A stream of
// which --keep-going has left the good part is emulated without an Error.
#include "tests/fuzz/dry_emulation.hpp"
#include "tests/fuzz/one_stream.hpp"

namespace ovni::fuzz {

void take(std::string_view input) {
    static const TraceInMemory files;
    const std::vector<std::string_view> texts = files_of(input, 2);
    files.put("stream.json", texts.size() > 1 && !texts[0].empty() ? texts[0] : rich_metadata);
    files.put("stream.obs", texts.back());
    for (EnabledModels enabled : {EnabledModels::required, EnabledModels::all})
        ends([&] { emulate(Trace::open(files.path()), enabled, require); });
    ends([] {
        Trace trace = good_part(files.path());
        require(ends([&] { emulate(trace, EnabledModels::required, require, Breakdowns::no); }));
    });
}

}  // namespace ovni::fuzz
