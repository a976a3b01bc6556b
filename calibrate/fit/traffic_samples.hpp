#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "calibrate/fit/traffic_fit.hpp"
#include "calibrate/sample.hpp"

/// @file
/// Which samples the traffic model is fitted to, and what of them a fit needs.

namespace sparsecast {

/// The sample as a point to fit, of a CPU with so many threads or (0) of a GPU; nothing for what
/// the model does not price (loads, conversions, links, single kernels launched plainly) and for a
/// sample with a matrix that does not say how it was carried out.
std::optional<TrafficPoint> traffic_point(const Sample& sample, int cpu_threads = 0);

/// "laplacian27" of "laplacian27 40x40x40": the generator.
std::string family_of(const std::string& matrix);

/// Of a matrix's name, the same on every machine: by what some matrices are chosen at random.
std::uint64_t hash_of(std::string_view name);

/// Whether the fit that the intervals are taken from must not see the sample: what the plan holds
/// out, and of the products alone those of every fourth matrix, by its name.
bool is_held_out_of_traffic(const Sample& sample);

}  // namespace sparsecast
