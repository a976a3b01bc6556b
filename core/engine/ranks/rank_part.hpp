#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/buffer.hpp"
#include "core/engine/ranks/communicator.hpp"
#include "core/matrix/segment.hpp"

/// @file
/// What a rank has of a system: consecutive rows of the matrix, and room for the values that these
/// rows gather of other ranks' (its halo). A rank numbers both for itself, in the order of the
/// whole matrix: the halo before its rows, its rows, the halo behind them. So an array of its
/// matrix and of its vectors is as long as its share, whatever the size of the whole; rows of the
/// whole are counted in 64 bits, those of a part in 32.

namespace sparsecast {

/// The rows of all ranks: those of rank i are `[begins[i], begins[i + 1])`.
struct RankRows {
  std::vector<std::int64_t> begins;  ///< one more than there are ranks; the last is all rows

  std::int64_t total() const { return begins.back(); }
  std::int64_t begin(int rank) const { return begins[static_cast<std::size_t>(rank)]; }
  std::int64_t end(int rank) const { return begins[static_cast<std::size_t>(rank) + 1]; }
  std::int64_t count(int rank) const { return end(rank) - begin(rank); }
  /// The rank that has a row, which exists.
  int owner(std::int64_t row) const;
};

/// The boundaries between parts of similar weight that lie in one stretch of consecutive items, of
/// those that `split_by_weight` would find in all: `cumulative[k]` is what weighs before item
/// `first + k`, of `total`. The boundaries that lie elsewhere are 0. Result: parts + 1 numbers, of
/// which the first and the last are 0.
std::vector<std::int64_t> boundaries_within(std::span<const std::int64_t> cumulative,
                                            std::int64_t first, std::int64_t total, int parts);

/// The numbers that a rank gives rows of the whole matrix.
class PartNumbers {
 public:
  PartNumbers() = default;
  /// `foreign`: rows of other ranks that it needs, in any order and as often as one likes; each
  /// brings its block of `rows_together` rows, of which the ranks' begins are multiples. The own
  /// rows begin at a multiple of `row_alignment` and of `rows_together`: numbers in front of the
  /// halo may be unused. Throws `Error` for more than 2^31 - 1 numbers.
  PartNumbers(const RankRows& rows, int rank, Buffer<std::int64_t> foreign, int rows_together,
              int row_alignment = 1);

  /// The rank's own rows.
  Segment own() const { return {before_, before_ + own_rows_}; }
  /// Own rows and halo, and what is unused.
  std::int64_t count() const { return before_ - halo_before_ + own_rows_ + std::ssize(halo_); }
  /// The number of a row, which is the rank's or in its halo.
  std::int32_t of(std::int64_t row) const;
  /// The halo, by rows of the whole matrix, which rise.
  std::span<const std::int64_t> halo() const { return halo_; }

 private:
  std::int64_t first_row_ = 0;
  std::int64_t own_rows_ = 0;
  std::int64_t halo_before_ = 0;  ///< how many of the halo come before the own rows
  std::int64_t before_ = 0;       ///< numbers before the own rows
  Buffer<std::int64_t> halo_;
};

/// What ranks send each other so that the values of a vector's halo are there.
struct HaloExchange {
  /// Values of own rows that another rank needs.
  struct ToSend {
    int rank = 0;
    std::vector<std::int32_t> places;  ///< their numbers in the part
  };
  /// Values that come from another rank, and lie together.
  struct ToReceive {
    int rank = 0;
    std::int64_t place = 0;  ///< number of the first one in the part
    std::int64_t count = 0;
  };
  std::vector<ToSend> sends;
  std::vector<ToReceive> receives;

  /// Values that this rank sends and receives.
  std::int64_t values() const;
};

/// The same exchange with an array of received values alone: those of one rank after the other's.
HaloExchange packed_halo(HaloExchange halo);

/// Finds what to send by telling the owners of a halo which rows it holds. All ranks call it.
HaloExchange plan_halo(Communicator& ranks, const RankRows& rows, const PartNumbers& numbers);

/// The part of one rank, and whom it shares the system with.
struct RankPart {
  Communicator* ranks = nullptr;
  RankRows rows;
  Segment own;  ///< in the numbers of the part
  HaloExchange halo;

  /// The rows of the whole system.
  std::int64_t unknowns() const { return rows.total(); }
};

/// Fetches the halo of a vector in the numbers of the part: `whole` holds all of them. `own` are
/// the values of the rank's rows, there or elsewhere; `packed` is scratch. All ranks call it.
template <class T>
void fetch_halo(const RankPart& part, std::span<const T> own, T* whole, Buffer<T>& packed);

/// The same of values that are packed already, those for one rank after those for the other, in the
/// order of `HaloExchange::sends`.
template <class T>
void fetch_packed_halo(const RankPart& part, std::span<const T> packed, T* whole);

/// Brings the values of all ranks' rows to rank 0, one rank's after the other's: `take` is called
/// there with each, in the order of the rows. `own`: those of this rank's rows. All ranks call it.
void gather_in_turn(Communicator& ranks, const RankRows& rows, std::span<const double> own,
                    const std::function<void(std::span<const double>)>& take);
/// The same of the rows of a part.
void gather_in_turn(const RankPart& part, std::span<const double> own,
                    const std::function<void(std::span<const double>)>& take);

/// The same of a text that each rank has.
void gather_texts_in_turn(Communicator& ranks, std::string_view own,
                          const std::function<void(std::string_view)>& take);

}  // namespace sparsecast
