#include "sink/output_formats.hpp"

#include "sink/columns/columns_sink.hpp"
#include "sink/otf2/otf2_sink.hpp"
#include "sink/page/page_sink.hpp"
#include "sink/paje/paje_sink.hpp"
#include "sink/paraver/mpi_prv_sink.hpp"
#include "sink/perfetto/perfetto_sink.hpp"

namespace ovni {

namespace {

template <class Format>
std::unique_ptr<Sink> make(const std::filesystem::path& path) {
    return std::make_unique<Format>(path);
}

constexpr OutputFormat formats[] = {
    {{"hdf5", "", "FILE", "",
      "Write all changes as columns, too, for analysis with h5py and the like. See --help columns."},
     make<ColumnsSink>},
    {{"perfetto", "", "FILE", "",
      R"(Write a trace for ui.perfetto.dev, too: threads with their calls of MPI, regions, states, tasks and
      counters, messages as arrows, waits with their causes.)"},
     make_perfetto_sink},
    {{"otf2", "", "DIR", "",
      R"(Write an archive of OTF2, too, for Vampir and others: calls of MPI, regions, messages, collectives. DIR
      is made, or an archive there is replaced.)"},
     make_otf2_sink,
     OutputKind::directory},
    {{"paje", "", "FILE", "",
      "Write a trace in the format of Paje, too, for ViTE and PajeNG: states, counters, messages."},
     make<PajeSink>},
    {{"html", "", "FILE", "",
      "Write a page for browsers, too: losses, efficiencies, MPI, waits, a timeline."},
     make<PageSink>},
    {{"mpi-prv", "", "", "",
      R"(Write mpi.prv, too: MPI with tasks, nodes, communicators, states and messages, as other tools for MPI
      want it. Further worlds are mpi.world2.prv and so on.)"},
     make<MpiPrvSink>,
     OutputKind::directory,
     "mpi"},
};

}  // namespace

std::span<const OutputFormat> output_formats() {
    return formats;
}

}  // namespace ovni
