#include "core/engine/ranks/rank_order.hpp"

#include <utility>

#include "core/engine/ranks/rank_lists.hpp"

namespace sparsecast {

RankOrder::RankOrder(Communicator& ranks, RankRows given, const RankRows& parts,
                     std::span<const std::int64_t> numbers)
    : ranks_(&ranks),
      given_(std::move(given)),
      stretch_places_(static_cast<std::size_t>(ranks.size())) {
  Places sent(stretch_places_.size());
  for (std::int64_t place = 0; const std::int64_t number : numbers) {
    const int rank = parts.owner(number);
    const auto owner = static_cast<std::size_t>(rank);
    stretch_places_[owner].push_back(place++);
    sent[owner].push_back(number - parts.begin(rank));
  }
  part_places_ = exchange_lists(ranks, std::move(sent));
}

Segment RankOrder::stretch() const {
  return {given_.begin(ranks_->rank()), given_.end(ranks_->rank())};
}

std::vector<double> RankOrder::to_part(std::span<const double> stretch) const {
  return move(stretch, stretch_places_, part_places_);
}

std::vector<double> RankOrder::to_stretch(std::span<const double> part) const {
  return move(part, part_places_, stretch_places_);
}

std::vector<double> RankOrder::move(std::span<const double> values, const Places& from,
                                    const Places& to) const {
  std::vector<Buffer<double>> lists(from.size());
  for (std::size_t rank = 0; rank < from.size(); ++rank) {
    lists[rank].reserve(from[rank].size());
    for (const std::int64_t place : from[rank]) {
      lists[rank].push_back(values[static_cast<std::size_t>(place)]);
    }
  }
  lists = exchange_lists(*ranks_, std::move(lists));
  std::size_t count = 0;
  for (const Buffer<double>& list : lists) count += list.size();
  std::vector<double> moved(count);
  for (std::size_t rank = 0; rank < to.size(); ++rank) {
    for (std::size_t k = 0; k < lists[rank].size(); ++k) {
      moved[static_cast<std::size_t>(to[rank][k])] = lists[rank][k];
    }
  }
  return moved;
}

}  // namespace sparsecast
