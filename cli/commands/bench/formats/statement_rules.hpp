#pragma once

#include <string>
#include <vector>

#include "cli/commands/bench/formats/format_results.hpp"
#include "cli/commands/bench/paper/finding.hpp"

/// @file
/// The rules of the statements (`Statement::judge` in `statements.hpp`), and what they share. What
/// each asks for is the `rule` of its statement, beside it in `statements.cpp`. The second results
/// are those of a CPU.

namespace sparsecast::cli {

/// The paper's kernels that are here, in the order of its section 3.
const std::vector<std::string>& paper_kernels();

/// The matrices that Table 4 calls FEM.
const std::vector<std::string>& finite_element_names();

/// The kernels by falling rate on a matrix, those that refuse it left out.
std::vector<std::string> ranked_kernels(const FormatResults& results, const std::string& matrix,
                                        Precision precision);
/// The first of them; empty where all refuse it.
std::string best_kernel(const FormatResults& results, const std::string& matrix,
                        Precision precision);

double nonzeros_per_row(const FormatMeasurement& measurement);

// Of the structured set.
Finding dia_is_fastest(const FormatResults& results, const FormatResults& cpu);
Finding dia_beats_ell(const FormatResults& results, const FormatResults& cpu);
Finding hyb_is_ell(const FormatResults& results, const FormatResults& cpu);
Finding csr_vector_is_linear(const FormatResults& results, const FormatResults& cpu);
Finding csr_scalar_falls(const FormatResults& results, const FormatResults& cpu);
Finding share_of_bandwidth(const FormatResults& results, const FormatResults& cpu);
Finding cache_helps_dia(const FormatResults& results, const FormatResults& cpu);
Finding precision_costs_bytes(const FormatResults& results, const FormatResults& cpu);
Finding csr_scalar_keeps_speed(const FormatResults& results, const FormatResults& cpu);
Finding ell_is_three_times_coo(const FormatResults& results, const FormatResults& cpu);
Finding bytes_are_those_of_table1(const FormatResults& results, const FormatResults& cpu);

// Of the unstructured set.
Finding no_kernel_wins(const FormatResults& results, const FormatResults& cpu);
Finding hyb_is_near_the_top(const FormatResults& results, const FormatResults& cpu);
Finding coo_is_steady(const FormatResults& results, const FormatResults& cpu);
Finding packets_beat_hyb(const FormatResults& results, const FormatResults& cpu);
Finding hyb_needs_rows(const FormatResults& results, const FormatResults& cpu);
Finding csr_vector_needs_long_rows(const FormatResults& results, const FormatResults& cpu);
Finding hyb_splits(const FormatResults& results, const FormatResults& cpu);
Finding gpu_beats_cpu(const FormatResults& results, const FormatResults& cpu);

}  // namespace sparsecast::cli
