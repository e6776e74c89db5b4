// Where streams lie on disk: <root>/loom.<loom>/proc.<pid>/thread.<tid>, for the trace directory and, where
// one is asked for, a temporary directory whose streams move to the trace directory when they end.
#pragma once

#include <string>

namespace ovni::writer {

struct Roots {
    std::string trace;      // absolute
    std::string temporary;  // empty: streams are written in place

    static Roots from_environment();
    const std::string& writing() const { return temporary.empty() ? trace : temporary; }
};

std::string process_directory(const std::string& root, const std::string& loom, int pid);

// With all parents, also where another process removes them meanwhile, empty as they are yet. False with
// errno where it cannot be made.
bool make_directory(const std::string& path);

// Files named stream.* appear in the other directory when all of them are there. False where some are not.
bool copy_stream(const std::string& from, const std::string& to);
// The directory, too, if that leaves it empty.
void remove_stream(const std::string& directory);

// Removes `place` below `root` and what lies between, as far as they are empty and can be removed. The root
// itself is the user's, and stays.
void remove_empty(const std::string& root, std::string place);

// The same of the directories of a process and its loom.
void remove_empty(const std::string& root, const std::string& loom, int pid);

}  // namespace ovni::writer
