#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/matrix_numbers.hpp"
#include "core/formats/format.hpp"
#include "core/matrix/renumbering.hpp"
#include "core/workload/exchange_mode.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/persistent_needs.hpp"
#include "core/workload/segment_shape.hpp"
#include "core/workload/segment_work.hpp"
#include "model/traffic/traffic_pricer.hpp"

namespace sparsecast {

/// What is to be solved: its size, how a layout of it is cut over devices, and what one GPU does
/// with it.
struct ForecastProblem {
  double unknowns = 0;
  double nonzeros = 0;
  std::function<Renumbering(int devices)> renumbering;  ///< none where there is no matrix
  std::function<std::vector<SegmentShape>(const Layout&, int devices)> segments;
  /// From which those follow, one entry a segment; none where there is no matrix.
  std::function<std::vector<PatternNumbers>(const Layout&, int devices)> numbers;
  /// These three are asked by the traffic model only. What one GPU does with a layout by graph;
  /// what a kernel for all iterations does with it, of a layout that has one and of a solver that
  /// keeps so much, nothing where nobody knows; what several GPUs do.
  std::function<TrafficCase(const Layout&)> traffic;
  std::function<std::optional<PersistentExecution>(const Layout&, const PersistentNeeds&)>
      persistent;
  std::function<std::vector<SegmentWork>(const Layout&, int devices, ExchangeMode)> work;
  /// Why nothing is known of a layout, in a sentence; empty where it is. None: all are known.
  std::function<std::string(const Layout&)> unknown;
  /// Of a matrix that is not there, from which its pattern is estimated.
  std::optional<KnownNumbers> estimated_from;
  bool density_known = true;  ///< are these the nonzeros, or all block elements?
};

}  // namespace sparsecast
