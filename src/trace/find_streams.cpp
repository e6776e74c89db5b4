#include "trace/find_streams.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "trace/stream_files.hpp"

namespace ovni {

namespace {

// Visits every directory once, in sorted order, so the result does not depend on the order in which the file
// system lists.
class Walk {
 public:
    explicit Walk(const std::filesystem::path& root) : root_(without_trailing_slashes(root)) {}

    void add(const std::vector<std::string>& subdirectories) {
        unvisited_.insert(subdirectories.begin(), subdirectories.end());
    }
    void add(std::vector<Listing::Directory> visited) {
        for (Listing::Directory& directory : visited)
            if (visited_.emplace(directory.device, directory.inode).second)
                seen_.directories.push_back(std::move(directory));
    }
    void add_links(const std::vector<std::string>& links) { links_.insert(links.begin(), links.end()); }

    void visit_until(size_t enough) {
        while (!unvisited_.empty() && unvisited_.size() < enough)
            visit(unvisited_.extract(unvisited_.begin()).value());
    }
    void follow_links() {
        while (!links_.empty()) {
            visit(links_.extract(links_.begin()).value());
            visit_until(std::numeric_limits<size_t>::max());
        }
    }

    Listing take() {
        seen_.unvisited.assign(unvisited_.begin(), unvisited_.end());
        seen_.links.assign(links_.begin(), links_.end());
        return std::move(seen_);
    }

 private:
    struct Close {
        void operator()(DIR* listing) const { ::closedir(listing); }
    };
    using Open = std::unique_ptr<DIR, Close>;

    void visit(const std::string& relative) {
        const std::string directory = relative.empty() ? root_ : root_ + "/" + relative;
        const Open listing(::opendir(directory.c_str()));
        struct stat info {};
        if (!listing || ::fstat(::dirfd(listing.get()), &info) != 0)
            throw system_error("cannot open the directory", directory);
        if (!visited_.emplace(info.st_dev, info.st_ino).second) return;
        Listing::Directory seen{relative, info.st_dev, info.st_ino};
        errno = 0;
        while (const dirent* entry = ::readdir(listing.get())) {
            see(listing, *entry, seen);
            errno = 0;
        }
        if (errno != 0) throw system_error("cannot read the directory", directory);
        seen_.directories.push_back(std::move(seen));
    }

    void see(const Open& listing, const dirent& entry, Listing::Directory& in) {
        const std::string_view name = entry.d_name;
        if (name == "." || name == "..") return;
        const unsigned char type = type_of(listing, entry);
        if (type == DT_DIR) {
            const bool is_linked = entry.d_type != DT_DIR && is_link(listing, entry);
            (is_linked ? links_ : unvisited_)
                .insert(in.path.empty() ? std::string(name) : in.path + "/" + std::string(name));
        } else if (name == metadata_name && type == DT_REG) {
            in.has_metadata = true;
        } else if (name == events_name) {
            in.has_events = true;
        }
    }

    // Behind a link. DT_UNKNOWN: neither a directory nor a regular file, or not to be seen.
    static unsigned char type_of(const Open& listing, const dirent& entry) {
        if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return entry.d_type;
        struct stat info {};
        if (::fstatat(::dirfd(listing.get()), entry.d_name, &info, 0) != 0) return DT_UNKNOWN;
        return S_ISDIR(info.st_mode) ? DT_DIR : S_ISREG(info.st_mode) ? DT_REG : DT_UNKNOWN;
    }
    static bool is_link(const Open& listing, const dirent& entry) {
        struct stat info {};
        return ::fstatat(::dirfd(listing.get()), entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISLNK(info.st_mode);
    }

    std::string root_;
    std::set<std::string> unvisited_, links_;
    std::set<std::pair<uint64_t, uint64_t>> visited_;
    Listing seen_;
};

}  // namespace

Listing list_top(const std::filesystem::path& directory, size_t enough) {
    Walk walk(directory);
    walk.add(std::vector<std::string>{""});
    walk.visit_until(std::max<size_t>(enough, 2));
    return walk.take();
}

Listing list_trees(const std::filesystem::path& directory, const std::vector<std::string>& subdirectories) {
    Walk walk(directory);
    walk.add(subdirectories);
    walk.visit_until(std::numeric_limits<size_t>::max());
    return walk.take();
}

FoundStreams found_in(const std::filesystem::path& directory, const std::vector<Listing>& listings) {
    std::vector<Listing::Directory> directories;
    Walk walk(directory);
    for (const Listing& listing : listings) {
        directories.insert(directories.end(), listing.directories.begin(), listing.directories.end());
        walk.add_links(listing.links);
    }
    std::ranges::sort(directories, {}, &Listing::Directory::path);
    walk.add(std::move(directories));
    walk.follow_links();
    directories = walk.take().directories;
    std::ranges::sort(directories, {}, &Listing::Directory::path);
    FoundStreams found;
    for (Listing::Directory& one : directories) {
        if (one.has_metadata)
            found.streams.push_back(std::move(one.path));
        else if (one.has_events)
            found.without_metadata.push_back(std::move(one.path));
    }
    return found;
}

FoundStreams find_streams(const std::filesystem::path& directory) {
    return found_in(directory, {list_trees(directory, {""})});
}

}  // namespace ovni
