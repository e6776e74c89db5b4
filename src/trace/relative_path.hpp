// The path of a stream in its trace. The directory above is kept once for all streams in it.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "base/interned.hpp"

namespace ovni {

class RelativePath {
 public:
    RelativePath() = default;  // empty
    RelativePath(std::string_view path)
        : directory_(std::string(path.substr(0, path.rfind('/') + 1))),
          name_(path.substr(path.rfind('/') + 1)) {}
    RelativePath(const std::string& path) : RelativePath(std::string_view(path)) {}
    RelativePath(const char* path) : RelativePath(std::string_view(path)) {}

    std::string text() const { return *directory_ + name_; }
    bool empty() const { return name_.empty() && directory_->empty(); }
    bool operator==(const RelativePath&) const = default;
    // For wire.hpp.
    friend auto fields(RelativePath& path) { return std::tie(path.directory_, path.name_); }

 private:
    Interned<std::string> directory_;  // with its slash
    std::string name_;
};

}  // namespace ovni
