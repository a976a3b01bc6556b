#include "core/formats/pkt/pkt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "core/formats/registry.hpp"
#include "core/matrix/generate/generators.hpp"
#include "core/random_csr.hpp"
#include "core/refusal.hpp"

namespace sparsecast {
namespace {

const Layout pkt{.format = "pkt"};

/// Figure 14 of Bell and Garland 2008: local rows and columns of the four lanes of two packets, of
/// a mesh of 11 vertices.
using Entry = std::pair<int, int>;
using Lanes = std::array<std::vector<Entry>, 4>;
const std::array<Lanes, 2> figure14{
    Lanes{std::vector<Entry>{{0, 0}, {0, 1}, {0, 3}, {0, 4}},
          {{1, 0}, {1, 1}, {1, 2}, {1, 4}, {1, 5}},
          {{2, 1}, {2, 2}, {2, 5}, {4, 0}, {4, 1}, {4, 3}, {4, 4}, {4, 5}},
          {{3, 0}, {3, 3}, {3, 4}, {5, 1}, {5, 2}, {5, 4}, {5, 5}}},
    Lanes{std::vector<Entry>{{0, 0}, {0, 1}, {0, 3}, {4, 1}, {4, 2}, {4, 3}, {4, 4}},
          {{1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}},
          {{2, 1}, {2, 2}, {2, 4}},
          {{3, 0}, {3, 1}, {3, 3}, {3, 4}}}};
constexpr std::int32_t bases[] = {0, 6};

const RowClusters of_figure14{identity_permutation(11), {0, 6, 11}};

/// Numbered from 1 on; those in `between` lie in no packet.
CsrMatrix<double> matrix_of_figure14(const std::vector<Entry>& between) {
  std::vector<Entry> entries = between;
  for (std::size_t p = 0; p < figure14.size(); ++p) {
    for (const std::vector<Entry>& lane : figure14[p]) {
      for (const auto& [row, column] : lane) {
        entries.emplace_back(bases[p] + row, bases[p] + column);
      }
    }
  }
  std::ranges::sort(entries);
  CsrMatrix<double> matrix;
  matrix.rows = matrix.columns = 11;
  matrix.row_offsets.assign(12, 0);
  for (const auto& [row, column] : entries) {
    matrix.column_indices.push_back(column);
    matrix.values.push_back(static_cast<double>(matrix.values.size() + 1));
    matrix.row_offsets[row + 1] = std::ssize(matrix.values);
  }
  return matrix;
}

double value_at(const CsrMatrix<double>& matrix, std::int64_t row, std::int32_t column) {
  for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
    if (matrix.column_indices[k] == column) return matrix.values[k];
  }
  return 0;
}

TEST(ConvertToPackets, StoresTheExampleOfThePaper) {
  const std::vector<Entry> between{{2, 7}, {5, 6}, {6, 5}, {7, 2}};
  const CsrMatrix<double> matrix = matrix_of_figure14(between);
  const PacketMatrix<double> stored = convert_to_packets(matrix.view(), {0, 11}, of_figure14, 4);
  ASSERT_EQ(stored.packets.size(), 2u);
  EXPECT_EQ(stored.packets[0].depth, 8);
  EXPECT_EQ(stored.packets[1].depth, 7);
  EXPECT_EQ(stored.packets[1].first_entry, 4 * 8);
  EXPECT_EQ(stored.values.size(), 4u * (8 + 7));
  for (std::size_t p = 0; p < figure14.size(); ++p) {
    const Packet& packet = stored.packets[p];
    EXPECT_EQ(packet.first_place, bases[p]);
    EXPECT_EQ(packet.rows, p == 0 ? 6 : 5);
    for (std::size_t lane = 0; lane < 4; ++lane) {
      for (std::size_t slot = 0; slot < packet.depth; ++slot) {
        const auto place = static_cast<std::size_t>(packet.first_entry) + 4 * slot + lane;
        SCOPED_TRACE(testing::Message() << "packet " << p << ", lane " << lane << ", " << slot);
        if (slot >= figure14[p][lane].size()) {
          EXPECT_EQ(stored.indices[place], no_packet_entry);
          EXPECT_EQ(stored.values[place], 0);
          continue;
        }
        const auto [row, column] = figure14[p][lane][slot];
        EXPECT_EQ(stored.indices[place], static_cast<std::uint32_t>(row * 65536 + column));
        EXPECT_EQ(stored.values[place], value_at(matrix, bases[p] + row, bases[p] + column));
      }
    }
  }
  // What crosses the cut, row by row.
  const CsrMatrix<double>& rest = stored.rest;
  EXPECT_EQ(rest.column_indices, (Buffer<std::int32_t>{7, 6, 5, 2}));
  EXPECT_EQ(rest.row_offsets, (Buffer<std::int64_t>{0, 0, 0, 1, 1, 1, 2, 3, 4, 4, 4, 4}));
  EXPECT_EQ(rest.values[3], value_at(matrix, 7, 2));
}

/// A matrix whose entries are those of the packets and of the rest.
template <class T>
CsrMatrix<T> unpacked(const PacketMatrix<T>& stored, std::int64_t first_row) {
  std::vector<std::tuple<std::int64_t, std::int32_t, T>> entries;
  for (const Packet& packet : stored.packets) {
    for (std::int64_t k = 0; k < std::int64_t{packet.depth} * stored.lanes; ++k) {
      const std::uint32_t index = stored.indices[packet.first_entry + k];
      if (index == no_packet_entry) continue;
      const std::int32_t row = stored.row_index[packet.first_place + row_in_packet(index)];
      const std::int32_t column = stored.row_index[packet.first_place + column_in_packet(index)];
      entries.emplace_back(row, static_cast<std::int32_t>(first_row + column),
                           stored.values[packet.first_entry + k]);
    }
  }
  for (std::int64_t row = 0; row < stored.rows; ++row) {
    for (std::int64_t k = stored.rest.row_offsets[row]; k < stored.rest.row_offsets[row + 1]; ++k) {
      entries.emplace_back(row, stored.rest.column_indices[k], stored.rest.values[k]);
    }
  }
  std::ranges::sort(entries);
  CsrMatrix<T> matrix;
  matrix.rows = stored.rows;
  matrix.columns = stored.columns;
  matrix.row_offsets.assign(static_cast<std::size_t>(stored.rows) + 1, 0);
  for (const auto& [row, column, value] : entries) {
    ++matrix.row_offsets[row + 1];
    matrix.column_indices.push_back(column);
    matrix.values.push_back(value);
  }
  for (std::int64_t row = 0; row < stored.rows; ++row) {
    matrix.row_offsets[row + 1] += matrix.row_offsets[row];
  }
  return matrix;
}

template <class T>
void expect_nothing_lost(const CsrMatrix<T>& matrix, const Segment& segment, const Layout& layout) {
  SCOPED_TRACE(to_string(layout) + ", " + std::to_string(matrix.rows) + " rows from " +
               std::to_string(segment.begin_row));
  const PatternView pattern = matrix.view().pattern();
  const PacketGeometry geometry = packet_geometry(layout);
  const RowClusters clusters = packet_clusters(pattern, segment, layout);
  const PacketMatrix<T> stored =
      convert_to_packets(matrix.view(), segment, clusters, geometry.lanes);
  const CsrMatrix<T> back = unpacked(stored, segment.begin_row);
  const std::int64_t begin = matrix.row_offsets[segment.begin_row];
  ASSERT_EQ(std::ssize(back.values), segment.nonzeros(matrix.row_offsets));
  for (std::int64_t row = 0; row <= segment.rows(); ++row) {
    ASSERT_EQ(back.row_offsets[row], matrix.row_offsets[segment.begin_row + row] - begin);
  }
  EXPECT_TRUE(std::ranges::equal(
      back.column_indices, std::span(matrix.column_indices).subspan(begin, back.values.size())));
  EXPECT_TRUE(std::ranges::equal(
      std::as_bytes(std::span(back.values)),
      std::as_bytes(std::span(matrix.values).subspan(begin, back.values.size()))));

  // A row is one lane's, and packets are as large as they may be.
  for (const Packet& packet : stored.packets) {
    EXPECT_LE(packet.rows, geometry.most_rows);
    EXPECT_GT(packet.rows, 0);
    std::vector<std::int64_t> lane_of(packet.rows, -1);
    for (std::int64_t k = 0; k < std::int64_t{packet.depth} * stored.lanes; ++k) {
      const std::uint32_t index = stored.indices[packet.first_entry + k];
      if (index == no_packet_entry) continue;
      ASSERT_LT(row_in_packet(index), packet.rows);
      ASSERT_LT(column_in_packet(index), packet.rows);
      std::int64_t& lane = lane_of[row_in_packet(index)];
      if (lane < 0) lane = k % stored.lanes;
      ASSERT_EQ(lane, k % stored.lanes);
    }
  }
  EXPECT_EQ(
      packet_size(pattern, segment, clusters, geometry.lanes),
      (PacketSize{std::ssize(stored.packets), std::ssize(stored.values), stored.rest.nonzeros()}));
}

std::vector<Layout> all_of_pkt() {
  return format_of(pkt).layouts();
}

TEST(ConvertToPackets, LosesNothing) {
  const CsrMatrix<double> random = random_csr<double>(4321, 4321, 4, 3);
  const CsrMatrix<float> fem = convert_values<float>(fem_elasticity(1, 12, 1).view());
  const CsrMatrix<double> graph = power_law(6000, 6, 2.5, 1);
  const CsrMatrix<double> wide = random_csr<double>(3000, 9000, 4, 4);
  const CsrMatrix<double> tall = random_csr<double>(5000, 1700, 4, 5);
  for (const Layout& layout : all_of_pkt()) {
    expect_nothing_lost(random, {0, random.rows}, layout);
    expect_nothing_lost(random, {1000, 3900}, layout);
    expect_nothing_lost(random, {77, 77}, layout);
    expect_nothing_lost(fem, {0, fem.rows}, layout);
    expect_nothing_lost(fem, {3000, fem.rows}, layout);
    expect_nothing_lost(graph, {0, graph.rows}, layout);
    expect_nothing_lost(wide, {0, wide.rows}, layout);
    expect_nothing_lost(wide, {500, 2900}, layout);
    expect_nothing_lost(tall, {0, tall.rows}, layout);
    expect_nothing_lost(tall, {1500, 5000}, layout);
  }
}

TEST(ThreadedConvertToPackets, IsTheSameOnAnyNumberOfThreads) {
  const CsrMatrix<float> matrix = convert_values<float>(fem_elasticity(1, 12, 2).view());
  const Segment all{0, matrix.rows};
  const RowClusters clusters = metis_clusters(matrix.view().pattern(), all, 500);
  const PacketMatrix<float> alone = convert_to_packets(matrix.view(), all, clusters, 128, 1);
  const PacketMatrix<float> stored = convert_to_packets(matrix.view(), all, clusters, 128, 4);
  EXPECT_EQ(stored.indices, alone.indices);
  EXPECT_EQ(stored.values, alone.values);
  EXPECT_EQ(stored.rest.column_indices, alone.rest.column_indices);
}

TEST(ConvertToPackets, RefusesWhatLongRowsWouldPad) {
  // A row of 2000 in each packet, whose thread all others wait for.
  CsrMatrix<double> rows;
  rows.rows = rows.columns = 8000;
  rows.row_offsets.push_back(0);
  for (std::int32_t i = 0; i < 8000; ++i) {
    const std::int32_t packet = i / 2000 * 2000;
    for (std::int32_t j = packet; j < packet + 2000; ++j) {
      if (j == i || i == packet) rows.column_indices.push_back(j);
    }
    rows.row_offsets.push_back(std::ssize(rows.column_indices));
  }
  rows.values.assign(rows.column_indices.size(), 1);
  const Layout given = parse_layout("pkt-given");
  const RowClusters clusters = packet_clusters(rows.view().pattern(), {0, 8000}, given);
  EXPECT_EQ(refusal_of([&] {
              convert_to_packets(rows.view(), {0, 8000}, clusters, 512);
            }),
            "layout pkt: threads with long rows would pad 15996 nonzeros to 4096000 values (at "
            "most 4 times as many could pay); use csr or hyb");
  PatternNumbers numbers;
  numbers.rows = numbers.columns = 8000;
  numbers.nonzeros = 15996;
  numbers.counts = format_of(given).count(rows.view().pattern(), {0, 8000}, given, 2, {});
  EXPECT_NE(format_of(given).refusal(numbers, given), "");
  numbers.nonzeros = 2'000'000;
  EXPECT_EQ(format_of(given).refusal(numbers, given), "");
}

TEST(Packets, HaveThePapersSizes) {
  // Footnote 6, and section 5.1.1.
  EXPECT_EQ(packet_geometry(pkt).most_rows, 2000);
  EXPECT_EQ(packet_geometry(pkt).lanes, 512);
  EXPECT_TRUE(packet_geometry(pkt).clusters);
  EXPECT_EQ(packet_geometry(parse_layout("pkt-1000")).most_rows, 1000);
  EXPECT_EQ(packet_geometry(parse_layout("pkt-500")).lanes, 128);
  EXPECT_FALSE(packet_geometry(parse_layout("pkt-given")).clusters);
}

TEST(Packets, HaveBothPartsInTheirShape) {
  PatternNumbers numbers;
  numbers.rows = 4000;
  numbers.columns = 3900;
  numbers.nonzeros = 9000;
  EXPECT_EQ(refusal_of([&] { format_of(pkt).shape(numbers, pkt); }),
            "layout pkt: the number of packets of pkt is not known from numbers; give the matrix "
            "itself");
  for (const char* name : {"pkt", "pkt-given"}) {
    numbers.counts["number of packets of " + std::string(name)] = 3;
    numbers.counts["number of values in packets of " + std::string(name)] = 10'000;
    numbers.counts["number of entries outside packets of " + std::string(name)] = 500;
  }
  const SegmentShape shape = format_of(pkt).shape(numbers, pkt);
  EXPECT_EQ(shape.elements, 10'500);
  EXPECT_EQ(shape.blocks, 10'500);
  EXPECT_EQ(shape.block_rows, 4000);
  EXPECT_EQ(shape.total_unknowns, 3900);
  EXPECT_DOUBLE_EQ(shape.index_bytes * shape.blocks, 10'000 * 4 + 500 * 8);
  EXPECT_DOUBLE_EQ(shape.offset_bytes * 4000, 3 * 16 + 4000 * 4);
  const Layout given = parse_layout("pkt-given");
  EXPECT_DOUBLE_EQ(format_of(pkt).shape(numbers, given).offset_bytes * 4000, 3 * 16);
}

TEST(Packets, AreOfGpusOnlyAndForComparisons) {
  for (const Layout& layout : all_of_pkt()) {
    EXPECT_FALSE(has_cpu_products(layout));
    EXPECT_EQ(std::ranges::count(usual_layouts(), layout), 0);
  }
}

}  // namespace
}  // namespace sparsecast
