#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/bench/formats/format_matrices.hpp"
#include "cli/commands/bench/formats/paper_table1.hpp"
#include "cli/commands/bench/formats/statement_rules.hpp"
#include "cli/commands/bench/paper/numbers.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {
namespace {

constexpr Precision f32 = Precision::f32;
constexpr Precision f64 = Precision::f64;
constexpr double percent = 100;

/// How much of its speed in f32 a layout keeps in f64 on a matrix.
double kept(const FormatResults& results, const std::string& matrix, const std::string& layout) {
  return results.rate(matrix, layout, f64) / results.rate(matrix, layout, f32);
}

/// Why products in DIA and ELL are no measure of the memory: one that the caches hold. Empty where
/// there is none.
std::string held_by_caches(const FormatResults& results) {
  for (const char* layout : {"dia", "ell"}) {
    for (const std::string& name : structured_names()) {
      if (results.find(name, layout, f32)->is_cold()) continue;
      return name + " takes less than twice the last-level cache; add --scale 27";
    }
  }
  return "";
}

/// How much faster HYB is on the unstructured matrices when it is split by cost than by the paper's
/// rule; empty where it was not measured.
std::string regret_of_rule(const FormatResults& results) {
  std::vector<double> gains;
  std::string most;
  for (const std::string& name : unstructured_names()) {
    const double by_cost = results.rate(name, "hyb", f32);
    const double by_rule = results.rate(name, "hyb-paper", f32);
    if (by_cost == 0 || by_rule == 0) continue;
    gains.push_back(by_cost / by_rule - 1);
    if (gains.back() == most_of(gains)) most = name;
  }
  if (gains.empty()) return "";
  return "; HYB split by cost is faster than by the rule by " + format_percent(median_of(gains)) +
         " (median), " + format_percent(most_of(gains)) + " (most, " + most + ")";
}

/// The structured matrices of which `holds` does not.
std::vector<std::string> exceptions(const std::function<bool(const std::string&)>& holds) {
  std::vector<std::string> others;
  for (const std::string& name : structured_names()) {
    if (!holds(name)) others.push_back(name);
  }
  return others;
}

/// "3 of 5" of the structured matrices.
std::string all_but(const std::vector<std::string>& others) {
  const std::size_t all = structured_names().size();
  return count_text(all - others.size(), all);
}

}  // namespace

Finding dia_is_fastest(const FormatResults& results, const FormatResults&) {
  const std::vector<std::string> others =
      exceptions([&](const std::string& name) { return best_kernel(results, name, f32) == "dia"; });
  std::string why;
  for (const std::string& name : others) {
    why += (why.empty() ? "" : ", ") + best_kernel(results, name, f32) + " on " + name;
  }
  return found(others.empty(), all_but(others), "faster is " + why);
}

Finding dia_beats_ell(const FormatResults& results, const FormatResults&) {
  const std::vector<std::string> others = exceptions([&](const std::string& name) {
    return std::ranges::all_of(std::array{f32, f64}, [&](Precision precision) {
      return results.rate(name, "dia", precision) > results.rate(name, "ell", precision);
    });
  });
  return found(others.empty(), all_but(others), "ELL is as fast on " + list_text(others));
}

Finding hyb_is_ell(const FormatResults& results, const FormatResults&) {
  constexpr double tolerance = 0.05;
  double largest = 0;
  bool same_bytes = true;
  for (const std::string& name : structured_names()) {
    for (const Precision precision : {f32, f64}) {
      const double ratio =
          results.rate(name, "hyb-paper", precision) / results.rate(name, "ell", precision);
      largest = std::max(largest, std::abs(ratio - 1));
      same_bytes = same_bytes && results.find(name, "hyb-paper", precision)->stored_bytes ==
                                     results.find(name, "ell", precision)->stored_bytes;
    }
  }
  return found(same_bytes && largest <= tolerance,
               "times differ by " + format_percent(largest) + " at most",
               same_bytes ? "what they store is the same, the times are not"
                          : "HYB stores something else than ELL");
}

Finding csr_vector_is_linear(const FormatResults& results, const FormatResults&) {
  std::vector<double> ratios;
  for (const std::string& name : structured_names()) {
    const FormatMeasurement& m = *results.find(name, "csr-vector", f32);
    ratios.push_back(results.rate(name, "csr-vector", f32) / nonzeros_per_row(m));
  }
  constexpr double most_spread = 0.10;
  const double spread = most_of(ratios) / least_of(ratios) - 1;
  return found(spread <= most_spread,
               format_number(least_of(ratios)) + " to " + format_number(most_of(ratios)) +
                   " (spread " + format_percent(spread) + ")",
               "the rate is not proportional to the nonzeros of a row");
}

Finding csr_scalar_falls(const FormatResults& results, const FormatResults&) {
  const std::vector<double> rates = results.rates(structured_names(), "csr-scalar", f32);
  std::string ours;
  for (const double rate : rates) ours += (ours.empty() ? "" : ", ") + format_number(rate);
  for (std::size_t k = 1; k < rates.size(); ++k) {
    if (rates[k] < rates[k - 1]) continue;
    return found(false, ours,
                 structured_names()[k] + " is not slower than " + structured_names()[k - 1]);
  }
  return found(true, ours, "");
}

Finding share_of_bandwidth(const FormatResults& results, const FormatResults&) {
  constexpr double papers[] = {0.76, 0.81};
  const std::string layouts[] = {"dia", "ell"};
  const std::string held = held_by_caches(results);
  if (!held.empty()) return not_comparable(held);
  std::string ours;
  bool holds = true;
  for (std::size_t k = 0; k < std::size(papers); ++k) {
    double share = 0;
    for (const std::string& name : structured_names()) {
      const FormatMeasurement& m = *results.find(name, layouts[k], f32);
      if (m.peak_bytes_per_second == 0) {
        return not_comparable("the device's bandwidth is not known");
      }
      share = std::max(share, m.bytes_per_second() / m.peak_bytes_per_second);
    }
    ours += (ours.empty() ? "" : "; ") + format_number(percent * share);
    holds = holds && share >= papers[k];
  }
  return found(holds, ours, "the most that is reached is less");
}

Finding cache_helps_dia(const FormatResults& results, const FormatResults&) {
  const double gain =
      results.rate("Laplace 27pt", "dia", f32) / results.rate("Laplace 27pt", "dia", f32, "l2") - 1;
  constexpr double half_of_papers = 0.28;
  return found(gain >= half_of_papers, format_number(percent * gain),
               "the L1 cache gains less than half as much over the L2 cache");
}

Finding precision_costs_bytes(const FormatResults& results, const FormatResults&) {
  const std::string held = held_by_caches(results);
  if (!held.empty()) return not_comparable(held);
  const double dia = kept(results, "Laplace 27pt", "dia");
  std::vector<double> all;
  for (const std::string& name : structured_names()) all.push_back(kept(results, name, "ell"));
  const double ell = median_of(all);
  constexpr double by_bytes[] = {0.5, 0.6};
  constexpr double tolerance = 0.15;
  const bool holds =
      std::abs(dia / by_bytes[0] - 1) <= tolerance && std::abs(ell / by_bytes[1] - 1) <= tolerance;
  return found(holds, format_number(percent * dia) + "; " + format_number(percent * ell),
               "not the ratio of bytes");
}

Finding csr_scalar_keeps_speed(const FormatResults& results, const FormatResults&) {
  std::vector<double> all;
  for (const std::string& name : structured_names()) {
    all.push_back(kept(results, name, "csr-scalar"));
  }
  constexpr double between = 0.75;
  return found(median_of(all) >= between, format_number(percent * median_of(all)),
               "nearer to the 60 of its bytes");
}

Finding ell_is_three_times_coo(const FormatResults& results, const FormatResults&) {
  std::vector<double> ratios;
  for (const std::string& name : structured_names()) {
    ratios.push_back(results.rate(name, "ell", f32) / results.rate(name, "coo", f32));
  }
  constexpr double low = 2;
  constexpr double high = 4.5;
  const double ratio = median_of(ratios);
  // That is the same at all sizes of the structured set.
  const bool is_papers_size = results.find(structured_names().front(), "ell", f32)->scale == 1;
  return found(ratio >= low && ratio <= high,
               format_number(ratio) + (is_papers_size ? regret_of_rule(results) : ""),
               "the rule of a third splits where another ratio would not");
}

Finding bytes_are_those_of_table1(const FormatResults& results, const FormatResults&) {
  double most_excess = 0;
  for (const PaperBytes& line : paper_table1()) {
    for (const std::string& name : structured_names()) {
      for (const Precision precision : {f32, f64}) {
        const FormatMeasurement& m = *results.find(name, line.layout, precision);
        const double of_table = m.stored_elements * line.stored_bytes(precision);
        // Offsets of rows are not in the table, and take 8 bytes at most.
        constexpr double offset = 8;
        const bool has_offsets =
            line.layout == std::string("csr-scalar") || line.layout == std::string("csr-vector");
        const double rest = m.stored_bytes - of_table;
        const double allowed = has_offsets ? offset * static_cast<double>(m.rows + 1) : 0;
        if (rest < 0 || rest > allowed) {
          return found(false, std::string(line.layout) + " stores " + format_bytes(m.stored_bytes),
                       "it should store " + format_bytes(of_table) + " of " + name);
        }
        most_excess = std::max(most_excess, rest / m.stored_bytes);
      }
    }
  }
  return found(true, "as Table 1; offsets of rows take " + format_percent(most_excess) + " at most",
               "");
}

}  // namespace sparsecast::cli
