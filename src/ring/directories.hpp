// Streams on disk: <root>/loom.<loom>/proc.<pid>/thread.<tid>. The root is the trace directory or, if set, a
// temporary directory whose streams move to the trace directory when they end.
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

// Makes the directory and its parents, even if another process removes them meanwhile because they are empty.
// False with errno.
bool make_directory(const std::string& path);

// Copies the files stream.*, and renames them when all are copied. False if some could not be copied.
bool copy_stream(const std::string& from, const std::string& to);
// Removes the files of the stream, and then the directory if it is empty.
void remove_stream(const std::string& directory);

// Removes `place` below `root`, and the directories between, if they are empty. The root itself is the
// user's, and stays.
void remove_empty(const std::string& root, std::string place);

// Removes the directories of a process and its loom, if they are empty.
void remove_empty(const std::string& root, const std::string& loom, int pid);

}  // namespace ovni::writer
