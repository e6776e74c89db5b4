// The account that the programs of tests/apps/calls write of themselves: the calls that they made and the
// messages that were transferred.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>

namespace ovni::test {

// Function name -> number of calls, as the program counted them.
inline std::map<std::string, int> counted(const std::string& file) {
    std::map<std::string, int> counts;
    std::ifstream input(file);
    for (std::pair<std::string, int> line; input >> line.first >> line.second;) counts.insert(line);
    return counts;
}

// Sender and receiver -> bytes and messages.
using Traffic = std::map<std::pair<int, int>, std::pair<int64_t, int>>;

struct Account {
    Traffic sent, received;
};

// The messages that the ranks of a program booked, in files of that name and the rank.
inline Account account_of(const std::string& files, int ranks) {
    Account account;
    for (int rank = 0; rank < ranks; ++rank) {
        std::ifstream input(files + std::to_string(rank));
        std::string what;
        int partner, messages;
        for (int64_t bytes; input >> what >> partner >> bytes >> messages;) {
            if (what == "sent") account.sent[{rank, partner}] = {bytes, messages};
            if (what == "received") account.received[{partner, rank}] = {bytes, messages};
        }
    }
    return account;
}

}  // namespace ovni::test
