#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/schedule/solver.hpp"

/// @file
/// The solvers that come with the program, by the names that tables, files and options have.

namespace sparsecast {

const Solver& fused_cg();    ///< "fused": `fused_cg_schedule()`
const Solver& algorithm1();  ///< "algorithm1": `algorithm1_schedule()`
const Solver& vendor_cg();   ///< "vendor": `vendor_cg_schedule()`

/// All of them; what runs unless another is asked for is the first.
const std::vector<Solver>& built_in_solvers();
std::vector<std::string> built_in_names();

/// Null where no such solver comes with the program.
const Solver* find_built_in(std::string_view name);

/// Throws `Error` that lists the names for another one.
const Solver& built_in(std::string_view name);

/// Whether this is a solver of calls of NVIDIA's libraries.
bool is_vendor(std::string_view name);
/// Whether this is one of the others: those of our own kernels.
bool is_ours(std::string_view name);
std::vector<std::string> our_names();

}  // namespace sparsecast
