#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "cli/commands/bench/formats/statement_rules.hpp"
#include "cli/commands/bench/paper/numbers.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {
namespace {

constexpr Precision f32 = Precision::f32;
constexpr Precision f64 = Precision::f64;
constexpr double percent = 100;

/// The share of a matrix's nonzeros that HYB has in its ELL part: an entry of the COO part is the
/// one that has two indices.
double share_in_ell(const FormatMeasurement& m) {
  constexpr double index = 4;
  const auto element = static_cast<double>(bytes_per_value(m.precision)) + index;
  const double in_coo = (m.stored_bytes - m.stored_elements * element) / index;
  return 1 - in_coo / static_cast<double>(m.nonzeros);
}

/// The most GFlop/s of any layout.
double best_rate(const FormatResults& results, const std::string& matrix) {
  double best = 0;
  for (const FormatMeasurement* m : results.all()) {
    if (m->matrix == matrix && m->precision == f64) {
      best = std::max(best, results.rate(matrix, m->layout, f64));
    }
  }
  return best;
}

}  // namespace

Finding no_kernel_wins(const FormatResults& results, const FormatResults&) {
  constexpr double near = 0.98;
  std::string bests;
  for (const std::string& kernel : paper_kernels()) {
    std::size_t best = 0;
    std::size_t nearly = 0;
    for (const std::string& name : unstructured_names()) {
      const std::string winner = best_kernel(results, name, f32);
      best += winner == kernel ? 1 : 0;
      nearly += results.rate(name, kernel, f32) >= near * results.rate(name, winner, f32) ? 1 : 0;
    }
    if (nearly == unstructured_names().size()) {
      return found(false, kernel + " on all", kernel + " is within 2 % of the best everywhere");
    }
    if (best > 0) bests += (bests.empty() ? "" : ", ") + kernel + " " + std::to_string(best);
  }
  return found(true, bests, "");
}

Finding hyb_is_near_the_top(const FormatResults& results, const FormatResults&) {
  std::size_t count = 0;
  for (const std::string& name : unstructured_names()) {
    const std::vector<std::string> names = ranked_kernels(results, name, f32);
    const auto first_two = names.begin() + std::min<std::ptrdiff_t>(2, std::ssize(names));
    count += std::find(names.begin(), first_two, "hyb-paper") != first_two ? 1 : 0;
  }
  constexpr std::size_t papers = 6;
  return found(count >= papers, count_text(count, unstructured_names().size()),
               "it is third or slower on the others");
}

Finding coo_is_steady(const FormatResults& results, const FormatResults&) {
  std::vector<std::string> wins;
  for (const std::string& name : unstructured_names()) {
    if (best_kernel(results, name, f32) == "coo") wins.push_back(name);
  }
  const std::vector<double> rates = results.rates(unstructured_names(), "coo", f64);
  const double ratio = most_of(rates) / least_of(rates);
  constexpr double steady = 2;
  const bool wins_lp_alone = wins == std::vector<std::string>{"LP"};
  const std::string won = wins.empty() ? "best on none" : "best on " + list_text(wins);
  return found(wins_lp_alone && ratio <= steady, won + "; " + format_number(ratio),
               wins_lp_alone ? "its rate depends on the matrix" : won);
}

Finding packets_beat_hyb(const FormatResults& results, const FormatResults&) {
  std::vector<std::string> lost;
  for (const std::string& name : finite_element_names()) {
    if (results.rate(name, "pkt", f32) <= results.rate(name, "hyb-paper", f32, "l2")) {
      lost.push_back(name);
    }
  }
  std::vector<std::string> won;
  for (const std::string& name : unstructured_names()) {
    if (results.rate(name, "pkt", f32) > results.rate(name, "hyb-paper", f32)) {
      won.push_back(name);
    }
  }
  const bool holds = lost.empty() && won == std::vector<std::string>{"FEM/Accelerator"};
  return found(holds, "faster than cached HYB on " + (won.empty() ? "none" : list_text(won)),
               lost.empty() ? "other matrices than FEM/Accelerator"
                            : "not faster than HYB past the L1 cache on " + list_text(lost));
}

Finding hyb_needs_rows(const FormatResults& results, const FormatResults&) {
  const double square = results.rate("Dense", "hyb-paper", f32);
  const double tall = results.rate(tall_dense_name(), "hyb-paper", f32);
  constexpr double twice = 2;
  return found(tall >= twice * square, format_number(square) + " and " + format_number(tall),
               "2000 rows are not half as fast");
}

Finding csr_vector_needs_long_rows(const FormatResults& results, const FormatResults&) {
  constexpr double long_row = 50;
  constexpr double short_row = 4;
  std::vector<double> of_long;
  std::vector<double> of_short;
  for (const std::string& name : unstructured_names()) {
    const double length = nonzeros_per_row(*results.find(name, "csr-vector", f32));
    const double rate = results.rate(name, "csr-vector", f32);
    if (length >= long_row) of_long.push_back(rate);
    if (length < short_row) of_short.push_back(rate);
  }
  if (of_long.empty() || of_short.empty()) return not_comparable("no rows of such lengths");
  const double ratio = least_of(of_long) / most_of(of_short);
  constexpr double papers = 9;
  return found(ratio >= papers,
               format_number(least_of(of_long)) + "; " + format_number(most_of(of_short)) +
                   ": ratio " + format_number(ratio),
               "short rows are not that much slower");
}

Finding hyb_splits(const FormatResults& results, const FormatResults&) {
  constexpr double papers[] = {99.4, 45.4};
  const std::string matrices[] = {"Wind Tunnel", "LP"};
  bool holds = true;
  std::string ours;
  for (std::size_t k = 0; k < std::size(papers); ++k) {
    const FormatMeasurement& m = *results.find(matrices[k], "hyb-paper", f64);
    const double share = percent * share_in_ell(m);
    ours += (ours.empty() ? "" : "; ") + format_fixed(share, 1);
    holds = holds && std::abs(share - papers[k]) <= 1;
  }
  return found(holds, ours, "the split is another one");
}

Finding gpu_beats_cpu(const FormatResults& results, const FormatResults& cpu) {
  std::vector<double> ratios;
  for (const std::string& name : unstructured_names()) {
    const double gpu =
        std::max(results.rate(name, "csr-vector", f64), results.rate(name, "hyb-paper", f64));
    const double beside = best_rate(cpu, name);
    if (beside == 0) return not_comparable("no product of " + name + " on the CPU");
    ratios.push_back(gpu / beside);
  }
  constexpr double papers = 10.85;
  return found(median_of(ratios) >= papers, format_number(median_of(ratios)),
               "the CPU is nearer than the paper's");
}

}  // namespace sparsecast::cli
