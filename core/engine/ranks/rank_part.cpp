#include "core/engine/ranks/rank_part.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "core/base/error.hpp"
#include "core/base/round_up.hpp"
#include "core/engine/ranks/rank_lists.hpp"

namespace sparsecast {

int RankRows::owner(std::int64_t row) const {
  // Ranks without rows begin where the next one does.
  const auto after = std::ranges::upper_bound(begins, row);
  return static_cast<int>(after - begins.begin()) - 1;
}

std::vector<std::int64_t> boundaries_within(std::span<const std::int64_t> cumulative,
                                            std::int64_t first, std::int64_t total, int parts) {
  std::vector<std::int64_t> found(static_cast<std::size_t>(parts) + 1, 0);
  for (int part = 1; part < parts; ++part) {
    // Without overflow: total * part / parts.
    const std::int64_t target = total / parts * part + total % parts * part / parts;
    if (target <= cumulative.front() || target > cumulative.back()) continue;
    const auto above = std::ranges::lower_bound(cumulative, target);
    const bool below_is_nearer = target - *(above - 1) < *above - target;
    found[static_cast<std::size_t>(part)] =
        first + (above - cumulative.begin()) - (below_is_nearer ? 1 : 0);
  }
  return found;
}

PartNumbers::PartNumbers(const RankRows& rows, int rank, Buffer<std::int64_t> foreign,
                         int rows_together, int row_alignment)
    : first_row_(rows.begin(rank)), own_rows_(rows.count(rank)) {
  for (std::int64_t& row : foreign) row /= rows_together;
  std::ranges::sort(foreign);
  foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());
  for (const std::int64_t block : foreign) {
    const std::int64_t end = std::min((block + 1) * rows_together, rows.total());
    for (std::int64_t row = block * rows_together; row < end; ++row) halo_.push_back(row);
  }
  halo_before_ = std::ranges::lower_bound(halo_, first_row_) - halo_.begin();
  before_ = round_up(halo_before_, std::lcm(rows_together, row_alignment));
  if (count() > std::numeric_limits<std::int32_t>::max()) {
    throw Error("a part of " + std::to_string(count()) +
                " rows, with those of other ranks that it gathers; expected at most 2^31 - 1: use "
                "more ranks");
  }
}

std::int32_t PartNumbers::of(std::int64_t row) const {
  if (row >= first_row_ && row < first_row_ + own_rows_) {
    return static_cast<std::int32_t>(before_ + row - first_row_);
  }
  const std::int64_t place = std::ranges::lower_bound(halo_, row) - halo_.begin();
  const std::int64_t unused = before_ - halo_before_;
  return static_cast<std::int32_t>(unused + (place < halo_before_ ? place : place + own_rows_));
}

std::int64_t HaloExchange::values() const {
  std::int64_t values = 0;
  for (const ToSend& each : sends) values += std::ssize(each.places);
  for (const ToReceive& each : receives) values += each.count;
  return values;
}

namespace {

/// Brings so many values of each rank to rank 0.
template <class T, class Take>
void bring_in_turn(Communicator& ranks, std::span<const std::int64_t> counts,
                   std::span<const T> own, const Take& take) {
  if (ranks.rank() != 0) {
    const OutgoingBytes mine{0, std::as_bytes(own)};
    if (!own.empty()) ranks.exchange({&mine, 1}, {});
    return;
  }
  take(own);
  Buffer<T> theirs;
  for (int rank = 1; rank < ranks.size(); ++rank) {
    theirs.resize(static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]));
    if (theirs.empty()) continue;
    const IncomingBytes from{rank, std::as_writable_bytes(std::span(theirs))};
    ranks.exchange({}, {&from, 1});
    take(std::span<const T>(theirs));
  }
}

}  // namespace

HaloExchange packed_halo(HaloExchange halo) {
  for (std::int64_t place = 0; HaloExchange::ToReceive & receive : halo.receives) {
    receive.place = place;
    place += receive.count;
  }
  return halo;
}

HaloExchange plan_halo(Communicator& ranks, const RankRows& rows, const PartNumbers& numbers) {
  HaloExchange plan;
  std::vector<Buffer<std::int64_t>> wanted(static_cast<std::size_t>(ranks.size()));
  for (const std::int64_t row : numbers.halo()) {
    wanted[static_cast<std::size_t>(rows.owner(row))].push_back(row);
  }
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const Buffer<std::int64_t>& theirs = wanted[static_cast<std::size_t>(rank)];
    if (theirs.empty()) continue;
    // Rows of one rank follow each other in the halo, on one side of the own ones.
    plan.receives.push_back({rank, numbers.of(theirs.front()), std::ssize(theirs)});
  }
  const std::vector<Buffer<std::int64_t>> asked = exchange_lists(ranks, wanted);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    HaloExchange::ToSend send{rank, {}};
    for (const std::int64_t row : asked[static_cast<std::size_t>(rank)]) {
      send.places.push_back(numbers.of(row));
    }
    if (!send.places.empty()) plan.sends.push_back(std::move(send));
  }
  return plan;
}

template <class T>
void fetch_halo(const RankPart& part, std::span<const T> own, T* whole, Buffer<T>& packed) {
  packed.clear();
  for (const HaloExchange::ToSend& send : part.halo.sends) {
    for (const std::int32_t place : send.places) {
      packed.push_back(own[static_cast<std::size_t>(place - part.own.begin_row)]);
    }
  }
  fetch_packed_halo<T>(part, packed, whole);
}

template <class T>
void fetch_packed_halo(const RankPart& part, std::span<const T> packed, T* whole) {
  std::vector<OutgoingBytes> out;
  for (std::size_t begin = 0; const HaloExchange::ToSend& send : part.halo.sends) {
    out.push_back({send.rank, std::as_bytes(packed.subspan(begin, send.places.size()))});
    begin += send.places.size();
  }
  std::vector<IncomingBytes> in;
  for (const HaloExchange::ToReceive& receive : part.halo.receives) {
    const std::span<T> values(whole + receive.place, static_cast<std::size_t>(receive.count));
    in.push_back({receive.rank, std::as_writable_bytes(values)});
  }
  part.ranks->exchange(out, in);
}

void gather_in_turn(const RankPart& part, std::span<const double> own,
                    const std::function<void(std::span<const double>)>& take) {
  gather_in_turn(*part.ranks, part.rows, own, take);
}

void gather_in_turn(Communicator& ranks, const RankRows& rows, std::span<const double> own,
                    const std::function<void(std::span<const double>)>& take) {
  std::vector<std::int64_t> counts;
  for (int rank = 0; rank < ranks.size(); ++rank) counts.push_back(rows.count(rank));
  bring_in_turn<double>(ranks, counts, own, take);
}

void gather_texts_in_turn(Communicator& ranks, std::string_view own,
                          const std::function<void(std::string_view)>& take) {
  bring_in_turn<char>(ranks, gather(ranks, std::ssize(own)), own, [&](std::span<const char> text) {
    take({text.data(), text.size()});
  });
}

template void fetch_packed_halo(const RankPart&, std::span<const float>, float*);
template void fetch_packed_halo(const RankPart&, std::span<const double>, double*);
template void fetch_halo(const RankPart&, std::span<const float>, float*, Buffer<float>&);
template void fetch_halo(const RankPart&, std::span<const double>, double*, Buffer<double>&);

}  // namespace sparsecast
