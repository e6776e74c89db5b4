// A process with a service (service_host), and a client of it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "region/control_socket.hpp"
#include "tests/support/started.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ovni::test {

// A connection to a control socket.
class Client {
 public:
    explicit Client(const std::string& path) : descriptor_(::socket(AF_UNIX, SOCK_SEQPACKET, 0)) {
        auto address = region::socket_address(path);
        if (address &&
            ::connect(descriptor_, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0)
            return;
        error_ = errno;
    }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client() { ::close(descriptor_); }

    // The error of the attempt to connect.
    int error() const { return error_; }
    bool say(std::string_view text) const {
        return ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL) >= 0;
    }
    // "closed" where the other side has hung up, "silence" after `ms`.
    std::string hear(int ms = 20'000) const {
        std::string text(200'000, '\0');
        pollfd polled{descriptor_, POLLIN, 0};
        if (::poll(&polled, 1, ms) <= 0) return "silence";
        ssize_t size = ::recv(descriptor_, text.data(), text.size(), 0);
        if (size <= 0) return "closed";
        text.resize(static_cast<size_t>(size));
        return text;
    }
    std::string ask(std::string_view text) const { return say(text) ? hear() : "closed"; }

 private:
    int descriptor_;
    int error_ = 0;
};

class ServiceTest : public ::testing::Test {
 protected:
    // Its run directory is home(), unless the environment says otherwise.
    std::unique_ptr<Started> start_host(std::map<std::string, std::string> environment = {}) {
        environment.try_emplace("OVNI_RUNDIR", home());
        for (const char* job :
             {"OVNI_RUN", "SLURM_JOB_ID", "PBS_JOBID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
              "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
            environment.try_emplace(job, "");
        auto host = std::make_unique<Started>(std::vector<std::string>{BUILD_DIR "/tests/service_host"},
                                              [environment, this] {
                                                  for (const auto& [name, value] : environment)
                                                      ::setenv(name.c_str(), value.c_str(), 1);
                                                  redirect_errors();
                                              });
        std::string line = host->line();
        path_ = line.substr(line.find(' ') + 1);
        serves_ = line.starts_with("serves ");
        return host;
    }
    static std::string tell(Started& host, const std::string& words) {
        host.write(words + "\n");
        return host.read_until("done\n");
    }
    static bool ends_well(Started& host) {
        host.close_input();
        return host.wait() == 0;
    }
    static std::string of(const Started& host) { return " of " + std::to_string(host.pid()); }
    // The path of the last host's socket.
    const std::string& path() const { return path_; }
    bool serves() const { return serves_; }
    // If descriptors are shared, the service makes its socket again when somebody has tried the old one.
    std::string ask_again() const {
        std::string reply;
        for (int attempt = 0; attempt < 1000 && !reply.starts_with("ok "); ++attempt) {
            if (attempt > 0) ::usleep(10'000);
            reply = Client(path()).ask("status");
        }
        return reply;
    }
    std::string printed_errors() const;
    std::filesystem::path home() const { return directory_.path(); }
    std::filesystem::path own_directory() const { return home() / ("ovni-" + std::to_string(::geteuid())); }

 private:
    void redirect_errors() const;

    TemporaryDirectory directory_;
    std::string path_;
    bool serves_ = false;
};

}  // namespace ovni::test
