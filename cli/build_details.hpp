#pragma once

#include <string>

namespace sparsecast::cli {

/// "sparsecast 0.1.0 (fb37a2d0)", without the commit where the sources were not in a repository.
std::string version_line();

/// What this program was built with, a line each: compiler, CUDA, libraries, features.
std::string build_details();

/// Where the pages are that texts name, as docs/schedules.md: a sentence.
std::string documents_text();

}  // namespace sparsecast::cli
