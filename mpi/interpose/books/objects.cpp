#include "mpi/interpose/books/objects.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "mpi/interpose/base/foreign_string.hpp"
#include "mpi/interpose/base/handle_table.hpp"
#include "mpi/interpose/base/spin_lock.hpp"
#include "mpi/interpose/books/communicators.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "ovni/format.h"
#include "ovni/mpi_events.h"

namespace ovni::mpi {

namespace {

constexpr size_t longest_name = 256;

struct Object {
    uint32_t number, kind, communicator;
    char name[longest_name];
};

// Few, and each of its own memory, so that the table stays small.
SpinLock changing_objects;
constinit HandleTable<Object*> windows, files;
std::atomic<uint32_t> last_object{OVNI_MPI_SELF};

// As text that every reader takes: \xNN stands for a byte that is no part of a printable character.
void copy_name(char* to, size_t room, std::string_view name) noexcept {
    constexpr size_t escaped = 4;
    while (!name.empty()) {
        size_t size = printable(name), wanted = size == 0 ? escaped : size;
        if (wanted >= room) break;
        if (size == 0)
            snprintf(to, room, "\\x%02x", static_cast<uint8_t>(name[0]));
        else
            std::memcpy(to, name.data(), size);
        name.remove_prefix(std::max<size_t>(size, 1));
        to += wanted, room -= wanted;
    }
    *to = '\0';
}

Object* find_object(HandleTable<Object*>& table, uint64_t key) noexcept {
    SpinLock::Guard guard(changing_objects);
    Object** found = table.find(key);
    return found ? *found : nullptr;
}

Object* add_opened(HandleTable<Object*>& table, uint64_t key, const Object& object) noexcept {
    auto* made = static_cast<Object*>(malloc(sizeof(Object)));
    if (!made) return nullptr;
    *made = object;
    SpinLock::Guard guard(changing_objects);
    Object** place = table.insert(key);
    if (!place) {
        free(made);
        return nullptr;
    }
    free(*place);
    return *place = made;
}

void remove(HandleTable<Object*>& table, uint64_t key, uint32_t number) noexcept {
    SpinLock::Guard guard(changing_objects);
    Object** found = table.find(key);
    if (!found || (*found)->number != number) return;
    free(*found);
    table.erase(key);
}

uint32_t describe(Moment& moment, const Object* object) noexcept {
    if (!object) return OVNI_MPI_NO_OBJECT;
    if (is_to_be_described(moment, object->number)) {
        uint8_t fixed[3 * sizeof(uint32_t)];
        std::memcpy(fixed, object, sizeof fixed);
        std::string_view name = object->name;
        record_jumbo(moment, OVNI_MPI_OBJECT, fixed,
                     {reinterpret_cast<const uint8_t*>(name.data()), name.size() + 1});
    }
    return object->number;
}

// An object whose making was not seen is added here.
uint32_t object_number(Moment& moment, HandleTable<Object*>& table, uint64_t key, uint32_t kind) noexcept {
    Object* known = find_object(table, key);
    if (!known) known = add_opened(table, key, {next_object_number(), kind, OVNI_MPI_NO_OBJECT, {}});
    return describe(moment, known);
}

uint32_t add_object(Moment& moment, HandleTable<Object*>& table, uint64_t key, uint32_t kind, MPI_Comm comm,
                    std::string_view name) noexcept {
    Object object{next_object_number(), kind, communicator_number(moment, comm), {}};
    copy_name(object.name, sizeof object.name, name);
    return describe(moment, add_opened(table, key, object));
}

}  // namespace

uint32_t next_object_number() noexcept {
    return last_object.fetch_add(1, std::memory_order_relaxed) + 1;
}

bool is_to_be_described(Moment& moment, uint32_t number) noexcept {
    return moment.recorded && number > OVNI_MPI_SELF && moment.thread.objects.add(number);
}

void record_jumbo(Moment& moment, EventCode code, std::span<const uint8_t> fixed,
                  std::span<const uint8_t> rest) noexcept {
    constexpr size_t longest = 8192;
    uint8_t event[longest];
    size_t header = OVNI_FORMAT_EVENT_HEADER + OVNI_FORMAT_JUMBO_SIZE;
    uint32_t size = static_cast<uint32_t>(fixed.size() + rest.size());
    if (header + size > sizeof event) return;
    require_version_of_details(moment.thread);
    uint32_t flags_and_code = (OVNI_FORMAT_JUMBO | (OVNI_FORMAT_JUMBO_SIZE - 1)) | code.bits() << 8;
    std::memcpy(event, &flags_and_code, sizeof flags_and_code);
    std::memcpy(event + OVNI_FORMAT_CLOCK_AT, &moment.at, sizeof moment.at);
    std::memcpy(event + OVNI_FORMAT_EVENT_HEADER, &size, sizeof size);
    std::memcpy(event + header, fixed.data(), fixed.size());
    if (!rest.empty()) std::memcpy(event + header + fixed.size(), rest.data(), rest.size());
    ovni_private_emit(event, static_cast<uint32_t>(header + size));
}

void record_name(Moment& moment, uint32_t number, std::string_view name) noexcept {
    char text[longest_name];
    copy_name(text, sizeof text, name);
    uint8_t fixed[sizeof number];
    std::memcpy(fixed, &number, sizeof number);
    record_jumbo(moment, OVNI_MPI_NAME, fixed,
                 {reinterpret_cast<const uint8_t*>(text), std::strlen(text) + 1});
}

void record_new_name(Moment& moment, uint32_t number, std::string_view name) noexcept {
    if (moment.recorded)
        record_name(moment, number, name);
    else
        moment.thread.objects.remove(number), moment.thread.last_comm = 0;
}

uint32_t window_number(Moment& moment, MPI_Win win) noexcept {
    if (win == win_null() || win == MPI_Win()) return OVNI_MPI_NO_OBJECT;
    return object_number(moment, windows, key_of(win), OVNI_MPI_WINDOW);
}

uint32_t window_communicator(MPI_Win win) noexcept {
    const Object* object = find_object(windows, key_of(win));
    return object ? object->communicator : uint32_t{OVNI_MPI_NO_OBJECT};
}

uint32_t add_window(Moment& moment, MPI_Win win, MPI_Comm comm) noexcept {
    return add_object(moment, windows, key_of(win), OVNI_MPI_WINDOW, comm, "");
}

void name_window(Moment& moment, MPI_Win win, std::string_view name) noexcept {
    uint32_t number = window_number(moment, win);
    Object* object = find_object(windows, key_of(win));
    if (!object) return;
    copy_name(object->name, sizeof object->name, name);
    record_new_name(moment, number, name);
}

void remove_window(MPI_Win win, uint32_t number) noexcept {
    remove(windows, key_of(win), number);
}

uint32_t file_number(Moment& moment, MPI_File file) noexcept {
    if (file == file_null() || file == MPI_File()) return OVNI_MPI_NO_OBJECT;
    return object_number(moment, files, key_of(file), OVNI_MPI_FILE);
}

uint32_t add_file(Moment& moment, MPI_File file, MPI_Comm comm, std::string_view name) noexcept {
    return add_object(moment, files, key_of(file), OVNI_MPI_FILE, comm, name);
}

void remove_file(MPI_File file, uint32_t number) noexcept {
    remove(files, key_of(file), number);
}

}  // namespace ovni::mpi
