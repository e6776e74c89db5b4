// A build without elfutils: call sites stay addresses.
#include "source/resolver.hpp"

namespace ovni {

struct Resolver::Files {};

Resolver::Resolver() = default;
Resolver::~Resolver() = default;

SourceFrames Resolver::frames_of(const CodeModule&, uint64_t) {
    if (remarks_.empty())
        remarks_.emplace_back("this build has no elfutils (libdw), so call sites are addresses");
    return SourceFrames(1);
}

}  // namespace ovni
