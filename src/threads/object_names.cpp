#include "threads/object_names.hpp"

#include <link.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/cancellation_waits.hpp"
#include "threads/caller_image.hpp"
#include "threads/data_symbols.hpp"
#include "threads/real_functions.hpp"

namespace ovni::threads {

namespace {

struct Image {
    const link_map* map;
    const void* dynamic;  // distinguishes it from another file with its map
    DataSymbols symbols;
};

constexpr size_t most_images = 64;
constinit Image images[most_images] = {};
size_t image_count = 0;
pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

// A handler that needed the lock would find it held by its own thread; a thread that is cancelled would keep
// it.
class Reading {
 public:
    Reading() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &signals_);
        is_mine_ = r.pthread_mutex_trylock(&reading) == 0;
        for (int wait = 0; !is_mine_ && wait < most_waits; ++wait) {
            constexpr timespec moment{0, 1'000'000};
            nanosleep(&moment, nullptr);
            is_mine_ = r.pthread_mutex_trylock(&reading) == 0;
        }
    }
    ~Reading() {
        if (is_mine_) r.pthread_mutex_unlock(&reading);
        pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
    }
    explicit operator bool() const noexcept { return is_mine_; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

 private:
    static constexpr int most_waits = 200;
    CancellationWaits cancellation_;
    sigset_t signals_{};
    bool is_mine_ = false;
};

[[gnu::constructor]] void free_in_child() {
    pthread_atfork(nullptr, nullptr, [] { reading = PTHREAD_MUTEX_INITIALIZER; });
}

const char* path_of(const link_map* map) {
    return *map->l_name ? map->l_name : "/proc/self/exe";
}

const DataSymbols* symbols_of(const link_map* map) noexcept {
    for (size_t i = 0; i < image_count; ++i)
        if (images[i].map == map && images[i].dynamic == map->l_ld) return &images[i].symbols;
    if (image_count == most_images) return nullptr;
    Image& image = images[image_count++];
    image.map = map;
    image.dynamic = map->l_ld;
    image.symbols.read(path_of(map));
    return &image.symbols;
}

// The number behind the name of a variable in a function, as in `lock.0`, has no meaning.
size_t length_of(const char* symbol) {
    size_t length = strnlen(symbol, longest_name);
    size_t digits = length;
    while (digits > 0 && symbol[digits - 1] >= '0' && symbol[digits - 1] <= '9') --digits;
    return digits > 1 && digits < length && symbol[digits - 1] == '.' ? digits - 1 : length;
}

size_t print(char* name, const char* begin, size_t size, uint64_t distance) noexcept {
    constexpr size_t room = longest_name + 1;
    int printed = distance == 0 ? snprintf(name, room, "%.*s", static_cast<int>(size), begin)
                                : snprintf(name, room, "%.*s+0x%lx", static_cast<int>(size), begin, distance);
    return printed < 0 ? 0 : std::min(static_cast<size_t>(printed), longest_name);
}

}  // namespace

size_t name_object(const void* object, char* name) noexcept {
    *name = '\0';
    const link_map* map = image_of(object);
    if (!map) return 0;
    const uint64_t place = reinterpret_cast<uint64_t>(object) - map->l_addr;
    const Reading mine;
    const DataSymbols* symbols = mine ? symbols_of(map) : nullptr;
    if (!symbols) return 0;
    if (const DataSymbol* symbol = symbols->at(place)) {
        const char* text = symbols->name_of(*symbol);
        return print(name, text, length_of(text), place - symbol->place);
    }
    const char* slash = strrchr(map->l_name, '/');
    const char* file = slash ? slash + 1 : *map->l_name ? map->l_name : "program";
    return print(name, file, strlen(file), place);
}

size_t name_thread(const void* handle, int32_t tid, char* name) noexcept {
    *name = '\0';
    if (tid == 0) return 0;
    char own[16] = "";
    const bool is_named = pthread_getname_np(reinterpret_cast<pthread_t>(handle), own, sizeof own) == 0 &&
                          own[0] != '\0' && strncmp(own, program_invocation_short_name, sizeof own - 1) != 0;
    const int length = is_named ? snprintf(name, longest_name, "thread %d %s", tid, own)
                                : snprintf(name, longest_name, "thread %d", tid);
    return static_cast<size_t>(length);
}

}  // namespace ovni::threads
