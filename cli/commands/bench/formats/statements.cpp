#include "cli/commands/bench/formats/statements.hpp"

#include <string>
#include <vector>

#include "cli/commands/bench/formats/format_matrices.hpp"
#include "cli/commands/bench/formats/statement_rules.hpp"

namespace sparsecast::cli {
namespace {

constexpr Precision f32 = Precision::f32;
constexpr Precision f64 = Precision::f64;

Needed structured(const std::vector<std::string>& layouts,
                  const std::vector<Precision>& precisions) {
  return {.matrices = structured_names(), .layouts = layouts, .precisions = precisions};
}
Needed unstructured(const std::vector<std::string>& layouts,
                    const std::vector<Precision>& precisions) {
  return {.matrices = unstructured_names(), .layouts = layouts, .precisions = precisions};
}
/// DIA and ELL refuse most of Table 4.
Needed all_kernels_of_table4() {
  Needed needed = unstructured(paper_kernels(), {f32});
  needed.may_be_refused = true;
  return needed;
}

}  // namespace

const std::vector<Statement>& statements() {
  using enum JudgedOn;
  static const std::vector<Statement> all{
      {{"B1", "5.1.1", "DIA is the fastest of all formats on all five structured matrices",
        "5 of 5 matrices", "DIA has the most GFlop/s of the paper's kernels on all five, f32",
        gpus},
       {structured(paper_kernels(), {f32})},
       dia_is_fastest},
      {{"B2", "6.1", "DIA is uniformly faster than ELL", "5 of 5 matrices",
        "DIA has more GFlop/s than ELL on all five in both precisions", gpus},
       {structured({"dia", "ell"}, {f32, f64})},
       dia_beats_ell},
      {{"B3", "5.1.1", "HYB equals ELL on the structured set", "identical",
        "both store the same bytes, and their times differ by 5 % at most", gpus},
       {structured({"ell", "hyb-paper"}, {f32, f64})},
       hyb_is_ell},
      {{"B4", "5.1.1", "CSR (vector) grows linearly with the nonzeros of a row below 32",
        "0.3285 to 0.3367 GFlop/s per nonzero of a row (spread 2.5 %)",
        "GFlop/s per nonzero of a row differ by 10 % at most over the structured set, f32", gpus},
       {structured({"csr-vector"}, {f32})},
       csr_vector_is_linear},
      {{"B5", "5.1.1", "CSR (scalar) gets slower as the diagonals grow from 3 to 27",
        "falling GFlop/s", "each structured matrix has fewer GFlop/s than the one before, f32",
        gpus},
       {structured({"csr-scalar"}, {f32})},
       csr_scalar_falls},
      {{"B6", "5.1.1", "DIA and ELL reach 76 and 81 % of the peak bandwidth without cache",
        "76; 81 % of the data sheet",
        "of structured matrices beyond twice the last-level cache the most is as much, f32, each "
        "array counted once",
        gpus},
       {structured({"dia", "ell"}, {f32})},
       share_of_bandwidth},
      {{"B7", "5.1.1", "caching x gains 56 % for DIA at 27 points", "56 %",
        "through the L1 cache DIA is faster than past it by half of that or more, f32", gpus},
       {{{"Laplace 27pt"}, {"dia"}, {f32}, "l1"}, {{"Laplace 27pt"}, {"dia"}, {f32}, "l2"}},
       cache_helps_dia},
      {{"B8", "5.1.2", "f64 over f32 is the ratio of Table 1's bytes for DIA and ELL",
        "DIA at 27 points 44.2 (bytes: 50.0); ELL 57.2 (60.0) %",
        "both are within 15 % of the ratio of bytes, DIA at 27 points, ELL as the median, beyond "
        "twice the last-level cache",
        gpus},
       {structured({"dia", "ell"}, {f32, f64})},
       precision_costs_bytes},
      {{"B9", "5.1.2", "CSR (scalar) keeps 89.9 % of its speed in f64", "89.9 %",
        "the median over the structured set is 75 % or more: nearer to that than to the 60 of "
        "bytes",
        gpus},
       {structured({"csr-scalar"}, {f32, f64})},
       csr_scalar_keeps_speed},
      {{"B10", "5.2.1", "no single kernel is the best everywhere", "14 matrices",
        "no kernel of the paper's is within 2 % of the best on all 14, f32", gpus},
       {all_kernels_of_table4()},
       no_kernel_wins},
      {{"B11", "5.2.1", "HYB is above 15 GFlop/s in 6 of 14: best or second", "6 of 14 matrices",
        "HYB is the best or the second of the paper's kernels on 6 or more, f32", gpus},
       {all_kernels_of_table4()},
       hyb_is_near_the_top},
      {{"B12", "5.2.1", "COO is best for LP only, and steady over all matrices",
        "1 matrix; most over least 1.38 in f64",
        "COO is the best of the paper's kernels on LP alone, f32, and most over least is 2 at "
        "most, "
        "f64",
        gpus},
       {all_kernels_of_table4(), unstructured({"coo"}, {f64})},
       coo_is_steady},
      {{"B13", "5.2.1",
        "PKT beats HYB without cache on FEM, and loses to cached HYB on all but FEM/Accelerator",
        "all but 1 matrix",
        "PKT is faster than HYB past the L1 cache on the five of FEM, than HYB through it on "
        "FEM/Accelerator alone, f32",
        gpus},
       {unstructured({"hyb-paper"}, {f32}),
        {finite_element_names(), {"pkt"}, {f32}, "l1"},
        {unstructured_names(), {"pkt"}, {f32}, "l1", true},
        {finite_element_names(), {"hyb-paper"}, {f32}, "l2"}},
       packets_beat_hyb},
      {{"B14", "5.2.1", "HYB is poor on 2000 x 2000 dense, but not on 30000 x 128",
        "30.83 GFlop/s on the second", "the second has twice the GFlop/s of the first or more, f32",
        gpus},
       {{{"Dense", std::string(tall_dense_name())}, {"hyb-paper"}, {f32}, "l1"}},
       hyb_needs_rows},
      {{"B15", "5.2.1",
        "CSR (vector) has 12.5 GFlop/s or more with 50 nonzeros a row, below 1.4 with fewer than 4",
        "12.5; 1.3 and 1.0 GFlop/s: ratio 9 or more",
        "the least with 50 a row or more is 9 times the most with fewer than 4 or more, f32", gpus},
       {unstructured({"csr-vector"}, {f32})},
       csr_vector_needs_long_rows},
      {{"B16", "5.2.1", "HYB holds 99.4 % of Wind Tunnel and 45.4 % of LP in its ELL part",
        "99.4; 45.4 % of the nonzeros", "both within a point", any},
       {{{"Wind Tunnel", "LP"}, {"hyb-paper"}, {f64}, "l1"}},
       hyb_splits},
      {{"B17", "3.5", "a full ELL is three times as fast as COO", "ratio 3",
        "the median over the structured set is 2 to 4.5, f32; beside it what a split by cost gains "
        "over the rule on the unstructured set",
        gpus},
       {structured({"ell", "coo"}, {f32})},
       ell_is_three_times_coo},
      {{"B18", "Table 1", "the bytes per flop of the formats", "4 to 12 bytes per flop",
        "of the structured set each stored value takes the table's bytes, offsets of rows aside",
        any},
       {structured(paper_kernels(), {f32, f64})},
       bytes_are_those_of_table1},
      {{"B19", "5.3", "the best GPU kernel is 10.85 times as fast as a CPU of four cores, f64",
        "10.85 (median)",
        "the better of CSR (vector) and HYB is as many times as fast as the best layout on the CPU "
        "or more, the median of 14, f64",
        gpus_cpus},
       {unstructured({"csr-vector", "hyb-paper"}, {f64})},
       gpu_beats_cpu}};
  return all;
}

}  // namespace sparsecast::cli
