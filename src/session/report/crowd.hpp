// CPUs on which several threads of a trace ran at once: whether that did harm, and why it was so.
#pragma once

#include <optional>

#include "messages/short/in_short.hpp"
#include "session/check/end_checks.hpp"
#include "session/report/report.hpp"

namespace ovni {

// Such threads may sleep: false if they do not displace each other. Nothing if that is unknown.
std::optional<bool> displace_each_other(const ReportSubject& of, const CrowdedCpu& cpu,
                                        const ReportContent& content);

// The CPUs where they do.
ShortSources::Crowd crowd_of(const ReportSubject& of, const ReportContent& content);

}  // namespace ovni
