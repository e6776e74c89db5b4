#include "mpi/trace/host.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ovni::mpi {

namespace {

bool occurs(const Host& host, const Host* hosts, int count) noexcept {
    for (int i = 0; i < count; ++i)
        if (strcmp(host.name, hosts[i].name) == 0) return true;
    return false;
}

// The nth free name "host-2", "host-3"...: one that no node has by itself.
Host with_suffix(const Host& host, int nth, const Host* hosts, int count) noexcept {
    for (int suffix = 2;; ++suffix) {
        Host candidate;
        snprintf(candidate.name, sizeof candidate.name, "%.80s-%d", host.name, suffix);
        if (!occurs(candidate, hosts, count) && --nth == 0) return candidate;
    }
}

Host among_leaders(const PrivateComm& leaders) noexcept {
    Host own = Host::alone();
    int count = leaders.size();
    auto* hosts = static_cast<Host*>(calloc(static_cast<size_t>(count), sizeof(Host)));
    if (!hosts) return own;
    Host result = own;
    if (leaders.allgather(own.name, Host::most, hosts->name)) {
        int equal_before = 0;
        for (int i = 0; i < leaders.rank(); ++i) equal_before += strcmp(own.name, hosts[i].name) == 0;
        if (equal_before > 0) result = with_suffix(own, equal_before, hosts, count);
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

Host Host::among(const PrivateComm& job, const PrivateComm& node) noexcept {
    bool leads = node.rank() == 0;
    PrivateComm leaders = job.split(leads ? 0 : MPI_UNDEFINED);
    Host host = leads && leaders.valid() ? among_leaders(leaders) : alone();
    node.bcast(host.name, most);
    return host;
}

}  // namespace ovni::mpi
