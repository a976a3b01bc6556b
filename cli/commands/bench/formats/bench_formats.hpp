#pragma once

#include "cli/commands/bench/formats/formats_options.hpp"

namespace sparsecast::cli {

/// Measures storage formats as Bell and Garland (2008) did, or reads what was measured before;
/// prints tables and what holds of their statements. Returns the exit status; Ctrl-C ends it early,
/// keeps what was measured and throws `Interrupted`.
int bench_formats(const FormatsOptions& options);

}  // namespace sparsecast::cli
