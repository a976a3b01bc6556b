// What ranks_test.cpp starts beside the program: a rank of another version, which solves nothing.
#include <iostream>
#include <string>
#include <vector>

#include "cli/build_details.hpp"
#include "cli/ranks.hpp"

std::string sparsecast::cli::version_line() {
  return "sparsecast 0.0.1 (another)";
}

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const sparsecast::RankEnd end =
      sparsecast::cli::run_among_ranks(sparsecast::launched_process(), arguments, "another_version",
                                       [] { return sparsecast::RankEnd{}; });
  if (!end.line.empty()) std::cerr << "another_version: " << end.line << '\n';
  return end.status;
}
