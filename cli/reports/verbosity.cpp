#include "cli/reports/verbosity.hpp"

#include <iostream>
#include <utility>

#include "cli/reports/printable.hpp"
#include "cli/reports/table.hpp"
#include "core/base/stopwatch.hpp"

namespace sparsecast::cli {
namespace {

Verbosity chosen = Verbosity::normal;

}  // namespace

Verbosity verbosity() {
  return chosen;
}

void set_verbosity(Verbosity verbosity) {
  chosen = verbosity;
}

void say(const std::string& text) {
  if (chosen == Verbosity::verbose) std::cerr << "sparsecast: " + text + '\n';
}

void say_written(const std::string& path) {
  if (chosen != Verbosity::quiet) std::cerr << "wrote " + printable_line(path) + '\n';
}

Phase::Phase(std::string what) : what_(std::move(what)), start_(steady_seconds()) {}

Phase::~Phase() {
  say(what_ + " took " + format_seconds(steady_seconds() - start_));
}

}  // namespace sparsecast::cli
