#include "cli/reports/interval_text.hpp"

#include "cli/reports/table.hpp"

namespace sparsecast::cli {

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "-";
  return format_seconds(interval->low) + " to " + format_seconds(interval->high);
}

}  // namespace sparsecast::cli
