#include "core/analysis/exchange_plan.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <string>

#include "core/base/buffer.hpp"
#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t rows_per_word = 32;  ///< block rows of a word of `SegmentHalo::outside`
constexpr std::int64_t bits_per_mark = 64;

void check_segments(std::span<const Segment> segments, std::int64_t rows, int block_size) {
  std::int64_t next = 0;
  for (const Segment& segment : segments) {
    const bool aligned = segment.begin_row % block_size == 0 || segment.begin_row == rows;
    if (segment.begin_row != next || segment.end_row < next || !aligned) {
      throw Error("segment of rows " + std::to_string(segment.begin_row) + " to " +
                  std::to_string(segment.end_row) + "; expected one that begins at row " +
                  std::to_string(next) + ", a multiple of " + std::to_string(block_size));
    }
    next = segment.end_row;
  }
  if (next != rows) {
    throw Error("segments end at row " + std::to_string(next) + " of a matrix of " +
                std::to_string(rows) + " rows; expected all rows in segments");
  }
}

/// A bit for each block column, set by several threads.
class Marks {
 public:
  explicit Marks(std::int64_t count) {
    words_.assign(static_cast<std::size_t>((count + bits_per_mark - 1) / bits_per_mark), 0);
  }

  void set(std::int64_t place) {
    const std::atomic_ref<std::uint64_t> word(words_[place / bits_per_mark]);
    const std::uint64_t bit = std::uint64_t{1} << (place % bits_per_mark);
    // Most are set already: looking first keeps the line shared.
    if ((word.load(std::memory_order_relaxed) & bit) == 0) {
      word.fetch_or(bit, std::memory_order_relaxed);
    }
  }

  /// How many of the places [begin, end) are set.
  std::int64_t count(std::int64_t begin, std::int64_t end) const {
    std::int64_t sum = 0;
    each_word(begin, end, [&](std::int64_t, std::uint64_t word) { sum += std::popcount(word); });
    return sum;
  }

  /// Calls `visit(place)` for those that are set, rising.
  template <class Visit>
  void each(std::int64_t begin, std::int64_t end, const Visit& visit) const {
    each_word(begin, end, [&](std::int64_t first, std::uint64_t word) {
      for (; word != 0; word &= word - 1) visit(first + std::countr_zero(word));
    });
  }

 private:
  template <class Visit>
  void each_word(std::int64_t begin, std::int64_t end, const Visit& visit) const {
    for (std::int64_t first = begin / bits_per_mark * bits_per_mark; first < end;
         first += bits_per_mark) {
      std::uint64_t word = words_[first / bits_per_mark];
      if (first < begin) word &= ~std::uint64_t{0} << (begin - first);
      if (end - first < bits_per_mark) word &= ~(~std::uint64_t{0} << (end - first));
      visit(first, word);
    }
  }

  Buffer<std::uint64_t> words_;
};

/// Calls `visit` for the block columns that block rows look up outside the segment, some of them
/// several times, and returns the word of those that do. Columns rise: the ones outside come first
/// and last in a row.
template <int N, class T, class Visit>
std::uint32_t visit_outside(const CsrView<T>& matrix, const Segment& segment,
                            std::int64_t begin_row, std::int64_t end_row, const Visit& visit) {
  std::uint32_t outside = 0;
  for (std::int64_t row = begin_row; row < end_row; ++row) {
    const std::int64_t begin = matrix.row_offsets[row];
    const std::int64_t end = matrix.row_offsets[row + 1];
    std::int64_t below = begin;
    std::int64_t last = -1;  // the block column visited last
    const auto visit_new = [&](std::int64_t place) {
      if (place != last) visit(place);
      last = place;
    };
    for (; below < end && matrix.column_indices[below] < segment.begin_row; ++below) {
      visit_new(matrix.column_indices[below] / N);
    }
    std::int64_t above = end;
    for (; above > below && matrix.column_indices[above - 1] >= segment.end_row; --above) {
      visit_new(matrix.column_indices[above - 1] / N);
    }
    if (below > begin || above < end) outside |= std::uint32_t{1} << ((row - begin_row) / N);
  }
  return outside;
}

template <int N, class T>
SegmentHalo find_halo(const CsrView<T>& matrix, std::span<const Segment> segments,
                      std::size_t device, int threads) {
  const Segment& own = segments[device];
  SegmentHalo halo;
  halo.needed.resize(segments.size());
  constexpr std::int64_t word_rows = rows_per_word * N;
  halo.outside.resize(static_cast<std::size_t>((own.rows() + word_rows - 1) / word_rows));
  const auto words = static_cast<std::int64_t>(halo.outside.size());
  if (segments.size() == 1 || words == 0) {
    halo.interior_rows = own.rows();
    return halo;
  }

  Marks marks((matrix.columns + N - 1) / N);
  constexpr std::int64_t words_per_part = 128;
  parallel_for(
      words, words_per_part,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t word = begin; word < end; ++word) {
          const std::int64_t row = own.begin_row + word * word_rows;
          halo.outside[word] =
              visit_outside<N>(matrix, own, row, std::min(row + word_rows, own.end_row),
                               [&](std::int64_t place) { marks.set(place); });
        }
      },
      threads);
  for (std::int64_t word = 0; word < words; ++word) {
    if (halo.outside[word] == 0) {
      halo.interior_rows += std::min(word_rows, own.rows() - word * word_rows);
    }
  }

  parallel_for(
      static_cast<std::int64_t>(segments.size()), 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t owner = begin; owner < end; ++owner) {
          // An empty segment may begin at the end of the matrix, inside its last block.
          const Segment& other = segments[owner];
          if (other.rows() == 0) continue;
          const std::int64_t first = other.begin_row / N;
          const std::int64_t last = (other.end_row + N - 1) / N;
          std::vector<std::int32_t>& rows = halo.needed[owner];
          rows.reserve(static_cast<std::size_t>(marks.count(first, last)) * N);
          marks.each(first, last, [&](std::int64_t place) {
            const std::int64_t end_row = std::min((place + 1) * N, other.end_row);
            for (std::int64_t row = place * N; row < end_row; ++row) {
              rows.push_back(static_cast<std::int32_t>(row));
            }
          });
        }
      },
      threads);
  return halo;
}

/// What is found of the halos of segments, one after the other.
template <int N, class T>
class HaloCounter {
 public:
  HaloCounter(const CsrView<T>& matrix, std::span<const Segment> segments)
      : matrix_(matrix),
        segments_(segments),
        found_(static_cast<std::size_t>((matrix.columns + N - 1) / N), false) {}

  /// Its interior rows, and what it receives.
  HaloCounts count(const Segment& own) {
    HaloCounts counts;
    constexpr std::int64_t word_rows = rows_per_word * N;
    for (std::int64_t row = own.begin_row; row < own.end_row; row += word_rows) {
      const std::int64_t end = std::min(row + word_rows, own.end_row);
      const std::uint32_t outside =
          visit_outside<N>(matrix_, own, row, end, [&](std::int64_t place) { add(place); });
      if (outside == 0) counts.interior_rows += end - row;
    }
    std::ranges::sort(halo_);
    for (auto next = halo_.begin(); next != halo_.end();) {
      // An empty segment ends where it begins, so that it is not found.
      const auto owner =
          std::ranges::upper_bound(segments_, std::int64_t{*next} * N, {}, &Segment::end_row);
      CountedNeighbour& neighbour = counts.neighbours.emplace_back();
      neighbour.device = static_cast<int>(owner - segments_.begin());
      for (; next != halo_.end() && std::int64_t{*next} * N < owner->end_row; ++next) {
        const std::int64_t begin = std::int64_t{*next} * N;
        neighbour.halo.received += std::min(begin + N, owner->end_row) - begin;
        found_[static_cast<std::size_t>(*next)] = false;
      }
    }
    halo_.clear();
    return counts;
  }

 private:
  void add(std::int64_t place) {
    const auto at = static_cast<std::size_t>(place);
    if (found_[at]) return;
    found_[at] = true;
    halo_.push_back(static_cast<std::int32_t>(place));
  }

  const CsrView<T>& matrix_;
  std::span<const Segment> segments_;
  std::vector<bool> found_;  ///< by block column, those in `halo_`
  std::vector<std::int32_t> halo_;
};

/// Adds to each device what others receive from it.
void add_sent(std::vector<HaloCounts>& all) {
  std::vector<std::vector<CountedNeighbour>> sent(all.size());
  for (std::size_t device = 0; device < all.size(); ++device) {
    for (const CountedNeighbour& from : all[device].neighbours) {
      sent[static_cast<std::size_t>(from.device)].push_back(
          {static_cast<int>(device), {0, from.halo.received}});
    }
  }
  for (std::size_t device = 0; device < all.size(); ++device) {
    std::vector<CountedNeighbour> both;
    std::ranges::merge(all[device].neighbours, sent[device], std::back_inserter(both), {},
                       &CountedNeighbour::device, &CountedNeighbour::device);
    std::vector<CountedNeighbour>& neighbours = all[device].neighbours;
    neighbours.clear();
    for (const CountedNeighbour& one : both) {
      if (neighbours.empty() || neighbours.back().device != one.device) {
        neighbours.push_back(one);
      } else {
        neighbours.back().halo.sent += one.halo.sent;
      }
    }
  }
}

template <class T>
void check(const CsrView<T>& matrix, std::span<const Segment> segments, const Layout& layout) {
  if (matrix.rows != matrix.columns) {
    throw Error("no halos in a matrix of " + std::to_string(matrix.rows) + " x " +
                std::to_string(matrix.columns) + ": expected a square one");
  }
  check_segments(segments, matrix.rows, layout.block_size);
}

}  // namespace

std::int64_t SegmentHalo::needed_rows() const {
  std::int64_t rows = 0;
  for (const auto& of_device : needed) rows += static_cast<std::int64_t>(of_device.size());
  return rows;
}

template <class T>
std::vector<SegmentHalo> find_halos(const CsrView<T>& matrix, std::span<const Segment> segments,
                                    const Layout& layout, int threads) {
  check(matrix, segments, layout);
  std::vector<SegmentHalo> halos;
  with_block_size(layout.block_size, [&](auto size) {
    for (std::size_t device = 0; device < segments.size(); ++device) {
      halos.push_back(find_halo<size()>(matrix, segments, device, threads));
    }
  });
  return halos;
}

template std::vector<SegmentHalo> find_halos(const CsrView<float>&, std::span<const Segment>,
                                             const Layout&, int);
template std::vector<SegmentHalo> find_halos(const CsrView<double>&, std::span<const Segment>,
                                             const Layout&, int);

ExchangedValues HaloCounts::exchanged() const {
  ExchangedValues sum;
  for (const CountedNeighbour& one : neighbours) {
    sum.received += one.halo.received;
    sum.sent += one.halo.sent;
  }
  return sum;
}

template <class T>
std::vector<HaloCounts> count_halos(const CsrView<T>& matrix, std::span<const Segment> segments,
                                    const Layout& layout, int threads) {
  check(matrix, segments, layout);
  std::vector<HaloCounts> all(segments.size());
  with_block_size(layout.block_size, [&](auto size) {
    parallel_for(
        std::ssize(segments), 1,
        [&](std::int64_t begin, std::int64_t end) {
          HaloCounter<size(), T> counter(matrix, segments);
          for (std::int64_t device = begin; device < end; ++device) {
            all[static_cast<std::size_t>(device)] =
                counter.count(segments[static_cast<std::size_t>(device)]);
          }
        },
        threads);
  });
  add_sent(all);
  return all;
}

template std::vector<HaloCounts> count_halos(const CsrView<float>&, std::span<const Segment>,
                                             const Layout&, int);
template std::vector<HaloCounts> count_halos(const CsrView<double>&, std::span<const Segment>,
                                             const Layout&, int);

const ExchangedValues& ExchangeVolume::in(ExchangeMode mode) const {
  switch (mode) {
    case ExchangeMode::staged:
      return staged;
    case ExchangeMode::peer:
      return peer;
    case ExchangeMode::halo:
    case ExchangeMode::nccl:
    case ExchangeMode::gpu_aware:
      return halo;
    case ExchangeMode::automatic:
      break;
  }
  throw Error("no volume of exchange 'automatic'; expected staged, peer or halo");
}

ExchangeVolume exchange_volume(std::int64_t own, std::int64_t all, std::int64_t others,
                               const ExchangedValues& halo) {
  return {{all - own, own}, {all - own, own * others}, halo};
}

std::vector<ExchangeVolume> exchange_volumes(std::span<const Segment> segments,
                                             std::span<const HaloCounts> halos) {
  std::vector<ExchangeVolume> volumes(segments.size());
  const auto others = static_cast<std::int64_t>(segments.size()) - 1;
  if (others < 1) return volumes;
  const std::int64_t all = segments.back().end_row;
  for (std::size_t device = 0; device < segments.size(); ++device) {
    volumes[device] =
        exchange_volume(segments[device].rows(), all, others, halos[device].exchanged());
  }
  return volumes;
}

}  // namespace sparsecast
