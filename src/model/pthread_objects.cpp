#include "model/pthread_objects.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.hpp"

namespace ovni {

namespace {

struct Free {
    void operator()(char* text) const { std::free(text); }
};

// Names of C++ as in the source; behind them may be a distance.
std::string readable(const std::string& name) {
    if (!name.starts_with("_Z")) return name;
    size_t end = std::min(name.find('+'), name.size());
    int status = 0;
    std::unique_ptr<char, Free> text(
        abi::__cxa_demangle(name.substr(0, end).c_str(), nullptr, nullptr, &status));
    return status == 0 ? text.get() + name.substr(end) : name;
}

}  // namespace

std::string_view pthread_kind(EventCode code) {
    switch (code.category()) {
        case 'M':
            return "mutex";
        case 'R':
        case 'W':
            return "rwlock";
        case 'P':
            return "spin lock";
        case 'B':
            return "barrier";
        case 'C':
            return "condition";
        case 'J':
            return "thread";
        case 'S':
            return "semaphore";
        case 'O':
            return "once";
        default:
            return "object";
    }
}

PthreadObject pthread_object(EventCode code, std::span<const uint8_t> data) {
    constexpr size_t longest = 511;
    uint64_t address = 0;
    PthreadObject object;
    constexpr size_t name_at = sizeof object.number + sizeof address;
    if (data.size() < name_at) throw Error("the definition of an object is too short");
    std::memcpy(&object.number, data.data(), sizeof object.number);
    std::memcpy(&address, data.data() + sizeof object.number, sizeof address);
    std::span<const uint8_t> name = data.subspan(name_at);
    auto end = std::ranges::find(name, uint8_t{0});
    if (end == name.end()) throw Error("the name of an object has no end");
    object.label = readable(std::string(name.begin(), end));
    if (object.label.empty()) object.label = fmt::format("{} {:#x}", pthread_kind(code), address);
    if (object.label.size() > longest) object.label.resize(longest);
    return object;
}

}  // namespace ovni
