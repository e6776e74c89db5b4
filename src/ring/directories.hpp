// Streams on disk: <root>/loom.<loom>/proc.<pid>/thread.<tid>. The root is the trace directory or, if the
// user wants one, a temporary directory whose streams move to the trace directory when they end.
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

// Makes the directory and its parents, even if another process removes them, still empty, meanwhile. False
// with errno.
bool make_directory(const std::string& path);

// Copies the files stream.*: they get their names when all have been copied. False if some have not.
bool copy_stream(const std::string& from, const std::string& to);
// Removes the files of the stream, and the directory if it is empty then.
void remove_stream(const std::string& directory);

// Removes `place` below `root`, and the directories between, as far as they are empty. The root is the
// user's, and stays.
void remove_empty(const std::string& root, std::string place);

// Removes the directories of a process and its loom, if they are empty.
void remove_empty(const std::string& root, const std::string& loom, int pid);

}  // namespace ovni::writer
