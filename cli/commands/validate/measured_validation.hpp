#pragma once

#include <vector>

#include "cli/command.hpp"
#include "cli/matrix_files.hpp"
#include "predict/validation/data/validation_data.hpp"

namespace sparsecast::cli {

/// Measures all matrices of the command line, those files among them, and prices them; with
/// --resume, what is not measured yet. What was measured is in `data`, and in the file that --csv
/// names, whatever happens. Cases have as many visits as they need. False when it was interrupted.
/// Of ranks rank 0 calls it, while the others `serve_validation`.
bool measure_validation(const CommandLine& line, const std::vector<MatrixFile>& files,
                        ValidationData& data);

/// Takes part in what rank 0 measures, until it has finished.
void serve_validation(const CommandLine& line);

}  // namespace sparsecast::cli
