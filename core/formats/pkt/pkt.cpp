#include "core/formats/pkt/pkt.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/formats/coo/coo.hpp"
#include "core/formats/most_stored.hpp"

namespace sparsecast {
namespace {

/// Of rows that are dealt out, where each is.
class Places {
 public:
  Places(const Segment& segment, const RowClusters& clusters)
      : segment_(segment), clusters_(clusters), place_of_(clusters.order.size()) {
    for (std::size_t place = 0; place < clusters.order.size(); ++place) {
      place_of_[clusters.order[place]] = static_cast<std::int32_t>(place);
    }
  }

  std::int64_t begin(std::int64_t packet) const {
    return clusters_.first[static_cast<std::size_t>(packet)];
  }
  std::int64_t end(std::int64_t packet) const {
    return clusters_.first[static_cast<std::size_t>(packet) + 1];
  }
  /// Of the matrix.
  std::int64_t row_at(std::int64_t place) const {
    return segment_.begin_row + clusters_.order[static_cast<std::size_t>(place)];
  }
  /// Of a column of the matrix in a packet; negative where it is in another, or in none.
  std::int64_t column_in(std::int64_t packet, std::int64_t column) const {
    if (column < segment_.begin_row || column >= segment_.end_row) return -1;
    const std::int64_t place = place_of_[static_cast<std::size_t>(column - segment_.begin_row)];
    return place < end(packet) ? place - begin(packet) : -1;
  }

 private:
  const Segment& segment_;
  const RowClusters& clusters_;
  std::vector<std::int32_t> place_of_;
};

/// How rows are dealt out to the lanes of their packets.
struct Dealt {
  Buffer<Packet> packets;
  Buffer<std::int32_t> lane_of;       ///< of the row in a place
  Buffer<std::int64_t> rest_offsets;  ///< of the segment's rows, one behind the other

  PacketSize size(int lanes) const {
    return {std::ssize(packets),
            packets.empty() ? 0 : packets.back().first_entry + packets.back().depth * lanes,
            rest_offsets.back()};
  }
};

Dealt deal(const PatternView& matrix, const Segment& segment, const RowClusters& clusters,
           const Places& places, int lanes, int threads) {
  Dealt dealt;
  dealt.packets.resize(static_cast<std::size_t>(clusters.count()));
  dealt.lane_of.resize(clusters.order.size());
  dealt.rest_offsets.resize(clusters.order.size() + 1);
  dealt.rest_offsets[0] = 0;
  parallel_for(
      clusters.count(), 1,
      [&](std::int64_t begin, std::int64_t end) {
        using Load = std::pair<std::int64_t, std::int32_t>;  // entries of a lane
        for (std::int64_t p = begin; p < end; ++p) {
          std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
          for (std::int32_t lane = 0; lane < lanes; ++lane) loads.push({0, lane});
          std::int64_t most = 0;
          for (std::int64_t place = places.begin(p); place < places.end(p); ++place) {
            const std::int64_t row = places.row_at(place);
            const std::int64_t row_begin = matrix.row_offsets[row];
            const std::int64_t row_end = matrix.row_offsets[row + 1];
            std::int64_t inside = 0;
            for (std::int64_t k = row_begin; k < row_end; ++k) {
              inside += places.column_in(p, matrix.column_indices[k]) >= 0 ? 1 : 0;
            }
            const auto [load, lane] = loads.top();
            loads.pop();
            loads.push({load + inside, lane});
            most = std::max(most, load + inside);
            dealt.lane_of[place] = lane;
            dealt.rest_offsets[row - segment.begin_row + 1] = row_end - row_begin - inside;
          }
          dealt.packets[p] = {0, static_cast<std::int32_t>(places.begin(p)),
                              static_cast<std::uint16_t>(places.end(p) - places.begin(p)),
                              static_cast<std::uint16_t>(most)};
        }
      },
      threads);
  std::int64_t entries = 0;
  for (Packet& packet : dealt.packets) {
    packet.first_entry = entries;
    entries += std::int64_t{packet.depth} * lanes;
  }
  std::partial_sum(dealt.rest_offsets.begin(), dealt.rest_offsets.end(),
                   dealt.rest_offsets.begin());
  return dealt;
}

/// A lane's entries are at most its share and a row.
constexpr bool has_room(const PacketGeometry& geometry) {
  return geometry.most_rows < 0xffff &&
         geometry.most_rows + geometry.most_rows * geometry.most_rows / geometry.lanes < 0xffff;
}

constexpr PacketGeometry of_paper{2000, 512};
constexpr PacketGeometry of_1000{1000, 256};
constexpr PacketGeometry of_500{500, 128};
static_assert(has_room(of_paper) && has_room(of_1000) && has_room(of_500));

}  // namespace

PacketGeometry packet_geometry(const Layout& layout) {
  if (layout.variant == "1000") return of_1000;
  if (layout.variant == "500") return of_500;
  PacketGeometry geometry = of_paper;
  geometry.clusters = layout.variant != "given";
  return geometry;
}

RowClusters packet_clusters(const PatternView& matrix, const Segment& segment,
                            const Layout& layout) {
  const PacketGeometry geometry = packet_geometry(layout);
  if (!geometry.clusters) return consecutive_clusters(matrix, segment, geometry.most_rows);
  try {
    return metis_clusters(matrix, segment, geometry.most_rows, "pkt-given");
  } catch (const Error& error) {
    throw Error(std::string("layout pkt: ") + error.what());
  }
}

PacketSize packet_size(const PatternView& matrix, const Segment& segment,
                       const RowClusters& clusters, int lanes, int threads) {
  const Places places(segment, clusters);
  return deal(matrix, segment, clusters, places, lanes, threads).size(lanes);
}

std::string packet_refusal(std::int64_t nonzeros, const PacketSize& size) {
  const std::int64_t stored = size.values + size.rest;
  if (stored <= most_stored_values(nonzeros)) return "";
  return "layout pkt: threads with long rows would pad " + std::to_string(nonzeros) +
         " nonzeros to " + std::to_string(stored) + " values (at most " +
         std::to_string(most_fill) + " times as many could pay); use csr or hyb";
}

void require_packets_fit(std::int64_t nonzeros, const PacketSize& size) {
  const std::string refusal = packet_refusal(nonzeros, size);
  if (!refusal.empty()) throw Error(refusal);
}

template <class T>
PacketMatrix<T> convert_to_packets(const CsrView<T>& matrix, const Segment& segment,
                                   const RowClusters& clusters, int lanes, int threads) {
  const Places places(segment, clusters);
  Dealt dealt = deal(matrix.pattern(), segment, clusters, places, lanes, threads);
  const PacketSize size = dealt.size(lanes);
  require_packets_fit(segment.nonzeros(matrix.row_offsets), size);
  PacketMatrix<T> result;
  result.rows = segment.rows();
  result.columns = matrix.columns;
  result.lanes = lanes;
  result.packets = std::move(dealt.packets);
  result.row_index = clusters.order;
  result.indices.resize(static_cast<std::size_t>(size.values));
  result.values.resize(static_cast<std::size_t>(size.values));
  result.rest.rows = result.rows;
  result.rest.columns = matrix.columns;
  result.rest.row_offsets = std::move(dealt.rest_offsets);
  result.rest.column_indices.resize(static_cast<std::size_t>(size.rest));
  result.rest.values.resize(static_cast<std::size_t>(size.rest));
  parallel_for(
      size.packets, 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t p = begin; p < end; ++p) {
          const Packet& packet = result.packets[p];
          const std::int64_t entries = std::int64_t{packet.depth} * lanes;
          std::fill_n(result.indices.data() + packet.first_entry, entries, no_packet_entry);
          std::fill_n(result.values.data() + packet.first_entry, entries, T{0});
          std::vector<std::int64_t> next(static_cast<std::size_t>(lanes));  // of each lane
          std::iota(next.begin(), next.end(), packet.first_entry);
          for (std::int64_t place = places.begin(p); place < places.end(p); ++place) {
            const std::int64_t row = places.row_at(place);
            const std::int64_t row_end = matrix.row_offsets[row + 1];
            std::int64_t& to = next[static_cast<std::size_t>(dealt.lane_of[place])];
            std::int64_t to_rest = result.rest.row_offsets[row - segment.begin_row];
            for (std::int64_t k = matrix.row_offsets[row]; k < row_end; ++k) {
              const std::int64_t column = places.column_in(p, matrix.column_indices[k]);
              if (column < 0) {
                result.rest.column_indices[to_rest] = matrix.column_indices[k];
                result.rest.values[to_rest++] = matrix.values[k];
                continue;
              }
              result.indices[to] = packet_index(static_cast<std::uint32_t>(place - places.begin(p)),
                                                static_cast<std::uint32_t>(column));
              result.values[to] = matrix.values[k];
              to += lanes;
            }
          }
        }
      },
      threads);
  return result;
}

SegmentShape packet_shape(double rows, double columns, const PacketSize& size,
                          const Layout& layout) {
  SegmentShape shape = coo_shape(rows, columns, static_cast<double>(size.values + size.rest));
  if (shape.elements > 0) {
    shape.index_bytes = (static_cast<double>(size.values) * sizeof(std::uint32_t) +
                         static_cast<double>(size.rest) * coo_index_bytes) /
                        shape.elements;
  }
  shape.offset_bytes = static_cast<double>(size.packets) * sizeof(Packet) / std::max(1.0, rows) +
                       (packet_geometry(layout).clusters ? sizeof(std::int32_t) : 0);
  return shape;
}

template PacketMatrix<float> convert_to_packets(const CsrView<float>&, const Segment&,
                                                const RowClusters&, int, int);
template PacketMatrix<double> convert_to_packets(const CsrView<double>&, const Segment&,
                                                 const RowClusters&, int, int);

}  // namespace sparsecast
