#pragma once

#include <cstdint>
#include <span>

#include "core/base/buffer.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/engine/ranks/rank_part.hpp"

namespace sparsecast {

/// How items of which this rank has so many are cut, in the order of the ranks. All ranks call it.
RankRows in_order_of_ranks(Communicator& ranks, std::int64_t mine);

/// A number for each item that is cut among ranks as rows are, of which every rank has those of its
/// own items: the own ones, and those of other items that were asked for.
class RankLookup {
 public:
  /// `own`: the numbers of items `[items.begin(rank), items.end(rank))`, kept by reference.
  /// `wanted`: items of this rank and of others, in any order and as often as one likes; each is
  /// asked for once. All ranks call it.
  RankLookup(Communicator& ranks, const RankRows& items, std::span<const std::int64_t> own,
             Buffer<std::int64_t> wanted);

  /// The number of an item, which is the rank's or was wanted.
  std::int64_t of(std::int64_t item) const;

 private:
  bool owns(std::int64_t item) const;

  std::span<const std::int64_t> own_;
  std::int64_t begin_ = 0;
  Buffer<std::int64_t> foreign_;  ///< items of others, which rise
  Buffer<std::int64_t> numbers_;  ///< of each of them
};

}  // namespace sparsecast
