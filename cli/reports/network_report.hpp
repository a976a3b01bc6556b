#pragma once

#include <ostream>

#include "calibrate/links/link_law_fit.hpp"
#include "cli/reports/table.hpp"

namespace sparsecast::cli {

/// What a network's transports cost, a row each number, for people.
void print_network(const NetworkFit& fit, TableStyle style, std::ostream& out);

}  // namespace sparsecast::cli
