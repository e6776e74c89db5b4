// The process and the host of each row of the thread file. Hosts have numbers in the order of rows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emu/records/schema.hpp"

namespace ovni {

struct RowOwners {
    struct Owner {
        uint32_t process = 0, host = 0;
    };

    explicit RowOwners(const Schema& schema) {
        std::map<std::string, uint32_t> numbers;
        for (const ShownThread& thread : schema.threads) {
            const std::string& host = schema.processes[thread.process].host;
            const auto [known, is_new] = numbers.try_emplace(host, static_cast<uint32_t>(numbers.size()));
            if (is_new) hosts.push_back(host);
            rows.push_back({thread.process, known->second});
        }
    }

    std::vector<Owner> rows;
    std::vector<std::string> hosts;  // any bytes
};

}  // namespace ovni
