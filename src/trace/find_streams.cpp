#include "trace/find_streams.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
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
    // Takes what others saw. Numbers of devices are those of one node, so links make this one look itself.
    void add(Listing seen) {
        links_.insert(seen.links.begin(), seen.links.end());
        std::ranges::move(seen.directories, std::back_inserter(seen_.directories));
    }

    void visit_levels(size_t enough) {
        while (!unvisited_.empty() && unvisited_.size() < enough)
            for (const std::string& path : std::exchange(unvisited_, {})) visit(path);
    }
    void visit_all() {
        while (!unvisited_.empty()) visit(unvisited_.extract(unvisited_.begin()).value());
    }
    void follow_links() {
        if (links_.empty()) return;
        struct stat info {};
        for (const Listing::Directory& one : seen_.directories)
            if (::stat(path_of(one.path).c_str(), &info) == 0) visited_.emplace(info.st_dev, info.st_ino);
        while (!links_.empty()) {
            const std::string link = links_.extract(links_.begin()).value();
            if (::stat(path_of(link).c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) continue;
            visit(link);
            visit_all();
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

    std::string path_of(const std::string& relative) const {
        return relative.empty() ? root_ : root_ + "/" + relative;
    }

    void visit(const std::string& relative) {
        const std::string directory = path_of(relative);
        const Open listing(::opendir(directory.c_str()));
        struct stat info {};
        if (!listing || ::fstat(::dirfd(listing.get()), &info) != 0)
            throw system_error("cannot open the directory", directory);
        if (!visited_.emplace(info.st_dev, info.st_ino).second) return;
        Listing::Directory seen{relative};
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
        const bool is_file = name == metadata_name || name == events_name;
        const unsigned char type = type_of(listing, entry, is_file ? 0 : AT_SYMLINK_NOFOLLOW);
        if (type == DT_DIR || (type == DT_LNK && !is_file)) {
            (type == DT_LNK ? links_ : unvisited_)
                .insert(in.path.empty() ? std::string(name) : in.path + "/" + std::string(name));
        } else if (name == metadata_name && type == DT_REG) {
            in.has_metadata = true;
        } else if (name == events_name) {
            in.has_events = true;
        }
    }

    // `flags` as of fstatat(). DT_UNKNOWN: nothing of interest, or not to be seen.
    static unsigned char type_of(const Open& listing, const dirent& entry, int flags) {
        const bool is_settled = entry.d_type != DT_LNK || flags == AT_SYMLINK_NOFOLLOW;
        if (entry.d_type != DT_UNKNOWN && is_settled) return entry.d_type;
        struct stat info {};
        if (::fstatat(::dirfd(listing.get()), entry.d_name, &info, flags) != 0) return DT_UNKNOWN;
        return static_cast<unsigned char>(IFTODT(info.st_mode));
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
    walk.visit_levels(std::max<size_t>(enough, 2));
    return walk.take();
}

Listing list_trees(const std::filesystem::path& directory, const std::vector<std::string>& subdirectories) {
    Walk walk(directory);
    walk.add(subdirectories);
    walk.visit_all();
    return walk.take();
}

FoundStreams found_in(const std::filesystem::path& directory, std::vector<Listing> listings) {
    Walk walk(directory);
    for (Listing& listing : listings) walk.add(std::move(listing));
    walk.follow_links();
    std::vector<Listing::Directory> directories = walk.take().directories;
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
    constexpr size_t enough = 64;  // below that, one thread is as fast
    constexpr size_t shares_each = 8;
    constexpr size_t files_each = 8;  // in a directory that is left, at least: most are trees
    Listing top = list_top(directory, enough);
    const std::vector<std::string>& left = top.unvisited;
    const size_t threads = threads_for_files(left.size() * files_each), shares = threads * shares_each;
    std::vector<Listing> listings(shares);
    for_each_in_parallel(threads, shares, [&](size_t i) {
        auto begin = left.begin() + static_cast<std::ptrdiff_t>(left.size() * i / shares);
        auto end = left.begin() + static_cast<std::ptrdiff_t>(left.size() * (i + 1) / shares);
        listings[i] = list_trees(directory, {begin, end});
    });
    listings.push_back(std::move(top));
    return found_in(directory, std::move(listings));
}

}  // namespace ovni
