#include "cli/commands/bench/formats/paper_table1.hpp"

namespace sparsecast::cli {

std::span<const PaperBytes> paper_table1() {
  static constexpr PaperBytes lines[] = {{"dia", 4, 8},         {"ell", 6, 10},
                                         {"csr-scalar", 6, 10}, {"csr-vector", 6, 10},
                                         {"coo", 8, 12},        {"hyb-paper", 6, 10}};
  return lines;
}

}  // namespace sparsecast::cli
