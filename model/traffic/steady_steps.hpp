#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/precision.hpp"
#include "core/schedule/schedule.hpp"
#include "model/traffic/step_traffic.hpp"

namespace sparsecast {

/// Vectors of a step, one after the other, of one scope and touched alike.
struct TouchedVectors {
  VectorScope scope = VectorScope::segment;
  std::size_t distance = 0;  ///< among `SteadySizes::distances`
  bool updated = false;
  int count = 1;

  friend bool operator==(const TouchedVectors&, const TouchedVectors&) = default;
};

/// What a step of the steady state touches: `StepTraffic` without sizes.
struct SteadyStep {
  std::size_t step = 0;  ///< index in `Schedule::iteration`
  std::vector<TouchedVectors> reads;
  std::vector<TouchedVectors> writes;
  std::optional<TouchedVectors> gathered;
  bool gathered_is_written = false;
  std::optional<std::size_t> matrix_distance;  ///< where it reads the matrix

  /// Whether it touches its arrays as another step does.
  bool touches_like(const SteadyStep& other) const;
};

/// Of the arrays of one segment, and of what is touched between two touches of one.
struct SteadySizes {
  SegmentShape shape;
  Precision precision = Precision::f64;
  double offset_bytes = 8;
  double segment_bytes = 0;  ///< of a vector's own part, all that passes touch of it
  double full_bytes = 0;     ///< of a full vector, which products look up
  std::vector<double> distances;

  /// Of a vector that is looked up.
  double gathered_bytes(const TouchedVectors& vectors) const {
    return vectors.scope == VectorScope::full ? full_bytes : segment_bytes;
  }
};

/// What of `steady_traffic` follows from the schedule alone, worked out once for all segments.
class SteadySteps {
 public:
  /// The schedule must outlive it.
  explicit SteadySteps(const Schedule& schedule);

  std::span<const SteadyStep> steps() const { return steps_; }

  /// On a segment whose row offsets take so many bytes each.
  SteadySizes sizes(const SegmentShape& shape, Precision precision, double offset_bytes) const;

  /// What one of the steps moves there, by kind (`StepTraffic::bytes`).
  BytesByKind bytes(const SteadyStep& step, const SteadySizes& sizes) const;
  /// By array.
  StepTraffic traffic(const SteadyStep& step, const SteadySizes& sizes) const;

 private:
  /// What a touch adds to a distance: an array, or half of it.
  enum class Part : std::uint8_t { half_matrix, matrix, half_segment, segment, count };
  /// Parts in the order of their arrays, which is that in which they are added.
  using Distance = std::vector<Part>;

  friend class SteadyStepsBuilder;

  const Schedule* schedule_;
  std::vector<SteadyStep> steps_;
  std::vector<Distance> distances_;
};

/// The kernels and reductions of an iteration in the steady state (steps without guard), run again
/// and again. All arrays of a step are passed at the same pace: of the steps that touch an array
/// one after the other, half of what each touches besides lies between the touches of one place.
/// `offset_bytes`: of a stored row offset.
std::vector<StepTraffic> steady_traffic(const Schedule& schedule, const SegmentShape& shape,
                                        Precision precision, double offset_bytes = 8);

}  // namespace sparsecast
