#pragma once

#include <cstdint>
#include <string>

#include "core/base/buffer.hpp"
#include "core/base/host_device.hpp"
#include "core/matrix/csr.hpp"
#include "core/matrix/row_clusters.hpp"
#include "core/matrix/segment.hpp"
#include "core/workload/layout.hpp"
#include "core/workload/segment_shape.hpp"

/// @file
/// The packet format (Bell and Garland 2008, sections 3.6 and 4.6): rows are clustered into
/// packets, and the entries of a packet's rows in the same columns have row and column in 16 bits
/// each; a thread block multiplies a packet, whose part of the vector and whose results are in
/// shared memory. Whole rows are dealt out to its threads, the lanes. All other entries are the
/// rest, which is multiplied as COO.

namespace sparsecast {

/// What a layout of this format says.
struct PacketGeometry {
  int most_rows = 0;     ///< of a packet
  int lanes = 0;         ///< threads of a packet's thread block
  bool clusters = true;  ///< rows are clustered; or they stay in the order of the matrix
};

/// - `pkt`: the paper's of f32, up to 2000 rows and 512 threads: about four rows a thread;
/// - `pkt-1000`: the paper's rows of f64, with as many rows a thread;
/// - `pkt-500`: smaller ones, of which matrices of 10^5 rows have enough for today's GPUs;
/// - `pkt-given`: as `pkt`, of consecutive rows. For a matrix that is renumbered packet by packet,
///   as the paper has it: no vector is gathered then.
PacketGeometry packet_geometry(const Layout& layout);

/// A packet, in the order in which they are stored.
struct Packet {
  std::int64_t first_entry = 0;  ///< a multiple of the lanes
  std::int32_t first_place = 0;  ///< of its rows in `PacketMatrix::row_index`
  std::uint16_t rows = 0;
  std::uint16_t depth = 0;  ///< entries of each lane, padding included
};

/// An entry's row and column in its packet.
SPARSECAST_HOST_DEVICE constexpr std::uint32_t packet_index(std::uint32_t row,
                                                            std::uint32_t column) {
  return row << 16 | column;
}
SPARSECAST_HOST_DEVICE constexpr std::uint32_t row_in_packet(std::uint32_t index) {
  return index >> 16;
}
SPARSECAST_HOST_DEVICE constexpr std::uint32_t column_in_packet(std::uint32_t index) {
  return index & 0xffff;
}
/// In place of an entry, behind the last of a lane.
inline constexpr std::uint32_t no_packet_entry = 0xffffffff;

/// A segment of a matrix. Entry i of lane t of a packet is at `first_entry + i * lanes + t`; a
/// lane's entries lie row by row, by rising columns.
template <class T>
struct PacketMatrix {
  std::int64_t rows = 0;     ///< of the segment
  std::int64_t columns = 0;  ///< of the whole matrix
  int lanes = 0;
  Buffer<Packet> packets;
  /// The segment's rows, counted from its first, packet by packet.
  Permutation row_index;
  Buffer<std::uint32_t> indices;
  Buffer<T> values;
  /// What is in no packet: the segment's rows in their order, columns of the whole matrix.
  CsrMatrix<T> rest;
};

/// What is stored of a segment.
struct PacketSize {
  std::int64_t packets = 0;
  std::int64_t values = 0;  ///< in packets, padding included
  std::int64_t rest = 0;    ///< entries in none

  friend bool operator==(const PacketSize&, const PacketSize&) = default;
};

/// The clusters that a layout makes packets of. Throws like `metis_clusters`, "layout pkt: " first.
RowClusters packet_clusters(const PatternView& matrix, const Segment& segment,
                            const Layout& layout);

/// What is stored of a segment in such packets; on `threads` threads (0: all).
PacketSize packet_size(const PatternView& matrix, const Segment& segment,
                       const RowClusters& clusters, int lanes, int threads = 0);

/// Why so much is not stored, and what to use instead; empty where it is.
std::string packet_refusal(std::int64_t nonzeros, const PacketSize& size);
/// Throws `Error` with that where there is one.
void require_packets_fit(std::int64_t nonzeros, const PacketSize& size);

/// Each row of a packet goes to the lane with the fewest entries so far, the first of equals, as in
/// the paper's example; on `threads` threads (0: all). Columns must rise within rows. Throws like
/// `require_packets_fit`.
template <class T>
PacketMatrix<T> convert_to_packets(const CsrView<T>& matrix, const Segment& segment,
                                   const RowClusters& clusters, int lanes, int threads = 0);

/// The size of a segment of so many rows. What an index takes is the mean over packets and rest;
/// `offset_bytes` are those of a row's share of packets and, where rows are clustered, of its
/// place.
SegmentShape packet_shape(double rows, double columns, const PacketSize& size,
                          const Layout& layout);

}  // namespace sparsecast
