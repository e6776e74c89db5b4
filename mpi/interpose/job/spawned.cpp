#include "mpi/interpose/job/spawned.hpp"

#include <unistd.h>

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "mpi/interpose/base/report.hpp"
#include "mpi/interpose/library/family.hpp"
#include "mpi/interpose/library/predefined.hpp"
#include "ovni/private.h"

namespace ovni::mpi {

namespace {

// A value of an info has that many characters in Open MPI.
constexpr size_t longest = MPI_MAX_INFO_VAL - 1;
constexpr char info_key[] = "env";
constexpr const char* birth_variable = "OVNI_SPAWNED";

Report spawned_not_traced{"spawned programs are not traced: the variable to pass on, %s, is too long"};
Report left_out{"%s is too long to pass on to spawned programs (give it to mpirun)"};
Report only_calls_fit{"of spawned programs only calls are recorded: there is no room for %s"};

RunName run;
int first_applications = 1;

// Variables as that info has them, a line each. What the program itself passes stays as it is.
class Environment {
 public:
    // False where it does not fit.
    bool add(std::string_view line) noexcept {
        if (has(line.substr(0, line.find('=') + 1))) return true;
        if (line.find('\n') != line.npos || size_ + 1 + line.size() > longest) return false;
        if (size_ > 0) text_[size_++] = '\n';
        memcpy(text_ + size_, line.data(), line.size());
        size_ += line.size();
        text_[size_] = '\0';
        return true;
    }
    void read(MPI_Info info) noexcept {
        int found = 0;
        if (info == info_null()) return;
        OVNI_PMPI(Info_get)(info, info_key, static_cast<int>(longest), text_, &found);
        size_ = found ? strlen(text_) : 0;
    }
    const char* text() const noexcept { return text_; }

 private:
    bool has(std::string_view name) const noexcept {
        std::string_view text(text_, size_);
        for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1))
            if (at == 0 || text[at - 1] == '\n') return true;
        return false;
    }

    char text_[longest + 1] = {};
    size_t size_ = 0;
};

bool is_setting(std::string_view variable) noexcept {
    for (std::string_view other : {"OVNI_SESSION=", "OVNI_APPEND=", "OVNI_SPAWNED="})
        if (variable.starts_with(other)) return false;
    return variable.starts_with("OVNI_");
}

enum class Senses : uint8_t { all, calls };

// Copies a list of libraries; without those that record more than calls.
void copy_libraries(char* to, const char* list, Senses senses) noexcept {
    *to = '\0';
    for (const char* at = list; *at;) {
        at += strspn(at, ": ");
        const std::string_view library(at, strcspn(at, ": "));
        at += library.size();
        const bool is_extra = library.ends_with("/libovni-threads.so") ||
                              library.ends_with("/libovni-openmp.so") || library.ends_with("/libomp.so.5");
        if (library.empty() || (senses == Senses::calls && is_extra)) continue;
        to +=
            sprintf(to, "%s%.*s", to[-1] == '=' ? "" : ":", static_cast<int>(library.size()), library.data());
    }
}

// Without these nothing of the new world comes into this run. The line that does not fit is left in `line`.
bool add_needed(Environment& environment, uint64_t id, Senses senses, char (&line)[2 * PATH_MAX]) noexcept {
    auto add = [&](int length) {
        return length > 0 && static_cast<size_t>(length) < sizeof line && environment.add(line);
    };
    const char *preload = secure_getenv("LD_PRELOAD"), *directory = ovni_private_trace_directory();
    constexpr char variable[] = "LD_PRELOAD=";
    if (preload && strlen(preload) >= sizeof line - sizeof variable) return false;
    if (preload) {
        strcpy(line, variable);
        copy_libraries(line + sizeof variable - 1, preload, senses);
        if (!environment.add(line)) return false;
    }
    char here[PATH_MAX] = "";
    if (directory[0] != '/' && !getcwd(here, sizeof here)) return false;
    return add(snprintf(line, sizeof line, "%s=%d.%" PRIx64, birth_variable, first_applications, id)) &&
           add(snprintf(line, sizeof line, "OVNI_TRACEDIR=%s%s%s", here, here[0] ? "/" : "", directory)) &&
           add(snprintf(line, sizeof line, "OVNI_RUN=%s", run.text));
}

// The number of the job, which the launcher counts up: family and number as one integer, or
// launcher@number.
uint32_t number_of_world() noexcept {
    const char* job = secure_getenv("PMIX_NAMESPACE");
    if (!job) return 2;
    const char* at = strrchr(job, '@');
    unsigned long number = strtoul(at ? at + 1 : job, nullptr, 10);
    constexpr unsigned long number_bits = 0xffff;
    return number == 0 ? 2 : static_cast<uint32_t>(number & number_bits);
}

}  // namespace

Birth Birth::of_world() noexcept {
    Birth birth{comm_null()};
    OVNI_KNOWN_PMPI(Comm_get_parent)(&birth.parent);
    if (birth.parent == comm_null()) return birth;
    birth.world = number_of_world();
    const char* inherited = secure_getenv(birth_variable);
    if (inherited && sscanf(inherited, "%d.%" SCNx64, &birth.applications, &birth.id) != 2) birth.id = 0;
    return birth;
}

int Birth::app_id(int appnum) const noexcept {
    constexpr int step = 1000;
    if (world == 1) return appnum + 1;
    return applications + static_cast<int>(world) - 1 + step * appnum;
}

void remember_run(const RunName& name, int applications) noexcept {
    run = name;
    first_applications = applications;
}

SpawnInfos::~SpawnInfos() {
    for (int i = 0; i < made_; ++i) OVNI_PMPI(Info_free)(&own_[i]);
}

bool SpawnInfos::add(MPI_Info theirs, const char* environment) noexcept {
    MPI_Info& info = own_[made_];
    bool made = (theirs == info_null() ? OVNI_PMPI(Info_create)(&info)
                                       : OVNI_PMPI(Info_dup)(theirs, &info)) == MPI_SUCCESS;
    if (!made) return false;
    ++made_;
    return OVNI_PMPI(Info_set)(info, info_key, environment) == MPI_SUCCESS;
}

bool SpawnInfos::pass_one(MPI_Info theirs, uint64_t id) noexcept {
    Environment given;
    given.read(theirs);
    for (Senses senses : {Senses::all, Senses::calls}) {
        Environment environment = given;
        char line[2 * PATH_MAX] = "";
        const bool is_passed = add_needed(environment, id, senses, line);
        const char* missing = nullptr;
        for (char** variable = environ; *variable && is_passed; ++variable)
            if (is_setting(*variable) && !environment.add(*variable)) missing = *variable;
        if (senses == Senses::all && (!is_passed || missing)) continue;
        if (!is_passed) return spawned_not_traced.once(line), false;
        if (senses == Senses::calls) only_calls_fit.once("the names of more libraries");
        if (missing) left_out.once(missing);
        return add(theirs, environment.text());
    }
    return false;
}

void SpawnInfos::pass(int count, uint64_t id) noexcept {
    if (!passed_ || count <= 0 || !own_.make(count) || !own_in_fortran_.make(count)) return;
    Handles<MPI_Info, info_of> theirs(passed_, language_);
    for (int i = 0; i < count; ++i) {
        if (!pass_one(theirs.get(i), id)) return;
        own_in_fortran_[i] = OVNI_C2F(Info, own_[i]);
    }
    passed_ = language_ == Language::c ? static_cast<const void*>(own_.data()) : own_in_fortran_.data();
}

}  // namespace ovni::mpi
