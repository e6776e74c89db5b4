// The causes that cost a run most, for a report.
#pragma once

#include <string>
#include <vector>

#include "session/report/report.hpp"

namespace ovni {

// As messages/short/in_short.hpp has them.
std::vector<std::string> short_report(const ReportSubject& of, const ReportContent& content);

}  // namespace ovni
