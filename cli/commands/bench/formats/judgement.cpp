#include "cli/commands/bench/formats/judgement.hpp"

#include <algorithm>
#include <iterator>

#include "cli/commands/bench/formats/format_matrices.hpp"
#include "cli/commands/bench/formats/statements.hpp"
#include "core/base/text/short_number.hpp"

namespace sparsecast::cli {
namespace {

/// What a rule lacks; empty where all is there.
std::string missing_for(const Statement& statement, const FormatResults& results) {
  for (const Needed& needed : statement.needed) {
    for (const std::string& matrix : needed.matrices) {
      for (const std::string& layout : needed.layouts) {
        for (const Precision precision : needed.precisions) {
          const FormatMeasurement* m = results.find(matrix, layout, precision, needed.x);
          if (m != nullptr && (m->measured() || needed.may_be_refused)) continue;
          const std::string what = layout + " on " + matrix + ", " +
                                   std::string(to_string(precision)) +
                                   (needed.x == "l2" ? ", past the L1 cache" : "");
          return m == nullptr ? what + " was not measured" : what + ": " + m->reason;
        }
      }
    }
  }
  return "";
}

Finding judge_at(const Statement& statement, const FormatResults& results,
                 const FormatResults& cpu) {
  const std::string missing = missing_for(statement, results);
  if (!missing.empty()) return {Verdict::not_comparable, "", missing};
  return statement.judge(results, cpu);
}

bool is_of_structured_set(const Statement& statement) {
  const std::string& matrix = statement.needed.front().matrices.front();
  return std::ranges::count(structured_names(), matrix) > 0;
}

Finding judge_on(const Statement& statement, std::span<const FormatMeasurement> all,
                 const std::string& device, const FormatResults& cpu) {
  if (!is_of_structured_set(statement)) {
    return judge_at(statement, FormatResults(all, device, 1), cpu);
  }
  Finding result{Verdict::not_comparable, "", "the structured set was not measured at --scale 1"};
  for (const double scale : measured_scales(all, device)) {
    if (scale < 1) continue;
    const Finding finding = judge_at(statement, FormatResults(all, device, scale), cpu);
    const std::string size = short_number(scale) + " times the rows: ";
    if (result.verdict == Verdict::not_comparable) {
      result = finding;
      if (scale != 1 && !finding.ours.empty()) result.ours = size + finding.ours;
    } else if (finding.verdict != Verdict::not_comparable) {
      result.ours += "; " + size + finding.ours;
      if (finding.verdict == result.verdict) continue;
      result.ours += std::string(" (") + to_string(finding.verdict) + ")";
    }
  }
  return result;
}

}  // namespace

std::vector<Judgement> judge_statements(std::span<const FormatMeasurement> all) {
  const JudgedDevices devices = judged_devices(all);
  const FormatResults cpu =
      devices.cpus.empty() ? FormatResults() : FormatResults(all, devices.cpus.front(), 1);
  std::vector<Judgement> judgements;
  for (const Statement& statement : statements()) {
    std::ranges::move(judge_on_devices(statement, devices,
                                       [&](const std::string& device) {
                                         return judge_on(statement, all, device, cpu);
                                       }),
                      std::back_inserter(judgements));
  }
  return judgements;
}

}  // namespace sparsecast::cli
