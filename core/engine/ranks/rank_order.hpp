#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/rank_part.hpp"
#include "core/matrix/segment.hpp"

namespace sparsecast {

/// Brings vectors from the order in which rows were given, of which each rank has a stretch, into
/// another one, of which it has its part; and back.
class RankOrder {
 public:
  /// `given`: the stretches; `parts`: the rows of all ranks in the new order. `numbers`: the new
  /// number of each row of this rank's stretch. Keeps a reference to `ranks`. All ranks call it.
  RankOrder(Communicator& ranks, RankRows given, const RankRows& parts,
            std::span<const std::int64_t> numbers);

  /// The stretches of all ranks.
  const RankRows& given() const { return given_; }
  /// The rows of this rank's stretch.
  Segment stretch() const;

  /// The values of the rank's part, of those of its stretch. All ranks call it.
  std::vector<double> to_part(std::span<const double> stretch) const;
  /// The other way. All ranks call it.
  std::vector<double> to_stretch(std::span<const double> part) const;

 private:
  /// For each rank the places of what is exchanged with it, counted from the first row.
  using Places = std::vector<Buffer<std::int64_t>>;

  std::vector<double> move(std::span<const double> values, const Places& from,
                           const Places& to) const;

  Communicator* ranks_;
  RankRows given_;
  Places stretch_places_;  ///< of own given rows that are in the other's part
  Places part_places_;     ///< of the part's rows that the other was given, in its order
};

}  // namespace sparsecast
