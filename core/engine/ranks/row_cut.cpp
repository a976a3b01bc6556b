#include "core/engine/ranks/row_cut.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/engine/ranks/rank_lists.hpp"

namespace sparsecast {

CountedUnits units_to_count(const Communicator& ranks, std::int64_t rows, int unit_rows) {
  const std::int64_t units = (rows + unit_rows - 1) / unit_rows;
  CountedUnits counted;
  counted.each = std::max<std::int64_t>(1, (units + ranks.size() - 1) / ranks.size());
  counted.first = std::min(units, counted.each * ranks.rank());
  const std::int64_t end = std::min(units, counted.first + counted.each);
  const auto count = static_cast<std::size_t>(end - counted.first);
  counted.counts.reserve(count + 1);  // what `cut_rows` makes of it
  counted.counts.assign(count, 0);
  return counted;
}

RankRows cut_rows(Communicator& ranks, std::int64_t rows, int unit_rows, CountedUnits counted) {
  std::int64_t mine = 0;
  for (const std::int64_t count : counted.counts) mine += count;
  std::int64_t before = 0;
  std::int64_t total = 0;
  int rank = 0;
  for (const std::int64_t theirs : gather(ranks, mine)) {
    if (rank++ < ranks.rank()) before += theirs;
    total += theirs;
  }
  // In place: one more than there are units.
  Buffer<std::int64_t>& cumulative = counted.counts;
  for (std::int64_t& count : cumulative) count = std::exchange(before, before + count);
  cumulative.push_back(before);
  const std::vector<std::int64_t> found =
      boundaries_within(cumulative, counted.first, total, ranks.size());
  // One rank has each of them, and doubles hold it exactly.
  std::vector<double> boundaries(found.begin(), found.end());
  ranks.sum(boundaries);
  RankRows cut;
  for (const double unit : boundaries) {
    cut.begins.push_back(std::min(rows, static_cast<std::int64_t>(unit) * unit_rows));
  }
  cut.begins.back() = rows;
  return cut;
}

}  // namespace sparsecast
