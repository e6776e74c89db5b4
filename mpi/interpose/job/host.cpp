#include "mpi/interpose/job/host.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/host_suffix.hpp"

namespace ovni::mpi {

namespace {

Host among_leaders(const PrivateComm& leaders) noexcept {
    Host own = Host::alone();
    int count = leaders.size();
    auto* hosts = static_cast<Host*>(calloc(static_cast<size_t>(count), sizeof(Host)));
    if (!hosts) return own;
    Host result = own;
    if (leaders.allgather(own.name, Host::most, hosts->name)) {
        int number =
            host_suffix(leaders.rank(), count, [&](int i) { return std::string_view(hosts[i].name); });
        if (number > 0) snprintf(result.name, sizeof result.name, "%.80s-%d", own.name, number);
    }
    free(hosts);
    return result;
}

}  // namespace

Host Host::alone() noexcept {
    Host host;
    gethostname(host.name, sizeof host.name - 1);
    if (char* dot = strchr(host.name, '.')) *dot = '\0';
    if (host.name[0] == '\0') snprintf(host.name, sizeof host.name, "localhost");
    return host;
}

Host Host::among(const PrivateComm& leaders, const PrivateComm& node) noexcept {
    Host host = leaders.valid() ? among_leaders(leaders) : alone();
    node.bcast(host.name, most);
    return host;
}

}  // namespace ovni::mpi
