#include "core/engine/ranks/rank_matrix.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/analysis/partition.hpp"
#include "core/base/error.hpp"
#include "core/engine/ranks/rank_errors.hpp"
#include "core/engine/ranks/rank_lists.hpp"
#include "core/engine/ranks/rank_renumbering.hpp"
#include "core/engine/ranks/row_cut.hpp"
#include "core/matrix/files/assembly.hpp"
#include "core/matrix/files/file_kind.hpp"
#include "core/matrix/files/matrix_file_part.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {
namespace {

/// Every rank counts the entries of its stretch, whoever knows them.
CountedUnits count_entries(Communicator& ranks, std::int64_t rows,
                           const Buffer<WholeEntry>& entries, int rows_together) {
  CountedUnits counted = units_to_count(ranks, rows, rows_together);
  Buffer<std::int64_t> sorted(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) sorted[k] = entries[k].row / rows_together;
  std::ranges::sort(sorted);
  // Pairs of unit and count, for whoever counts the unit.
  std::vector<Buffer<std::int64_t>> known(static_cast<std::size_t>(ranks.size()));
  for (std::size_t k = 0; k < sorted.size();) {
    const std::size_t begin = k;
    while (k < sorted.size() && sorted[k] == sorted[begin]) ++k;
    Buffer<std::int64_t>& list = known[static_cast<std::size_t>(sorted[begin] / counted.each)];
    list.push_back(sorted[begin]);
    list.push_back(static_cast<std::int64_t>(k - begin));
  }
  sorted = {};
  for (const Buffer<std::int64_t>& pairs : exchange_lists(ranks, std::move(known))) {
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
      counted.counts[static_cast<std::size_t>(pairs[i] - counted.first)] += pairs[i + 1];
    }
  }
  return counted;
}

/// Sends the entries to the ranks that have their rows and, where columns are wanted, to those that
/// have their columns. Returns what comes from each rank.
std::vector<Buffer<WholeEntry>> send_to_owners(Communicator& ranks, const RankRows& rows,
                                               std::vector<Buffer<WholeEntry>> entries,
                                               bool with_columns) {
  std::vector<Buffer<WholeEntry>> lists = lists_for_ranks<WholeEntry>(ranks, [&](const auto& take) {
    for (const Buffer<WholeEntry>& list : entries) {
      for (const WholeEntry& entry : list) {
        const int owner = rows.owner(entry.row);
        take(owner, entry);
        if (!with_columns) continue;
        const int other = rows.owner(entry.column);
        if (other != owner) take(other, entry);
      }
    }
  });
  entries = {};
  return exchange_lists(ranks, std::move(lists));
}

/// Rows and columns of others than this rank that entries name.
Buffer<std::int64_t> foreign_rows(const std::vector<Buffer<WholeEntry>>& lists, std::int64_t begin,
                                  std::int64_t end) {
  Buffer<std::int64_t> foreign;
  for (const Buffer<WholeEntry>& list : lists) {
    for (const WholeEntry& entry : list) {
      for (const std::int64_t row : {entry.row, entry.column}) {
        if (row < begin || row >= end) foreign.push_back(row);
      }
    }
  }
  return foreign;
}

AssembledMatrix assemble_part(const PartNumbers& numbers, std::vector<Buffer<WholeEntry>> lists,
                              int threads) {
  std::vector<EntryChunk> chunks;
  StoredShape shape;
  shape.rows = shape.columns = numbers.count();
  for (Buffer<WholeEntry>& list : lists) {
    EntryChunk& chunk = chunks.emplace_back();
    chunk.entries = std::ssize(list);
    shape.stored_entries += chunk.entries;
    for (auto* places : {&chunk.rows, &chunk.columns}) places->resize(list.size());
    chunk.values.resize(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
      chunk.rows[k] = numbers.of(list[k].row);
      chunk.columns[k] = numbers.of(list[k].column);
      chunk.values[k] = list[k].value;
    }
    list = {};
  }
  return assemble_entries(chunks, shape, {false, threads});
}

/// The entries of a part of a file, symmetric storage expanded.
Buffer<WholeEntry> expanded(std::vector<EntryChunk> chunks, const StoredShape& shape) {
  const double mirrored = shape.symmetry == StoredSymmetry::skew_symmetric ? -1 : 1;
  std::int64_t stored = 0;
  for (const EntryChunk& chunk : chunks) stored += chunk.entries;
  Buffer<WholeEntry> entries;
  entries.reserve(
      static_cast<std::size_t>(shape.symmetry == StoredSymmetry::general ? stored : 2 * stored));
  for (EntryChunk& chunk : chunks) {
    for (std::int64_t k = 0; k < chunk.entries; ++k) {
      const WholeEntry entry{chunk.rows[k], chunk.columns[k],
                             shape.pattern ? 1.0 : chunk.values[k]};
      entries.push_back(entry);
      if (shape.symmetry != StoredSymmetry::general && entry.row != entry.column) {
        entries.push_back({entry.column, entry.row, mirrored * entry.value});
      }
    }
    chunk = {};
  }
  return entries;
}

void require_one_file(Communicator& ranks, const std::string& name, std::uint64_t identity) {
  const std::vector<std::uint64_t> all = gather(ranks, identity);
  const auto other = std::ranges::find_if(all, [&](std::uint64_t each) { return each != all[0]; });
  if (other == all.end()) return;
  throw Error("rank " + std::to_string(other - all.begin()) + ": " + name +
              " is another file than on rank 0; every host needs the same one");
}

/// Whether the whole matrix, which has its columns, is symmetric. All ranks call it.
bool is_symmetric(const RankMatrix& matrix) {
  const CsrMatrix<double>& rows = matrix.matrix;
  const CsrMatrix<double> columns = transpose(rows.view());
  const Segment& own = matrix.part.own;
  bool same = true;
  for (std::int64_t row = own.begin_row; same && row < own.end_row; ++row) {
    const auto stretch = [row](const auto& values, const CsrMatrix<double>& of) {
      return std::span(values).subspan(of.row_offsets[row],
                                       of.row_offsets[row + 1] - of.row_offsets[row]);
    };
    same = std::ranges::equal(stretch(rows.column_indices, rows),
                              stretch(columns.column_indices, columns)) &&
           std::ranges::equal(stretch(rows.values, rows), stretch(columns.values, columns));
  }
  return !matrix.part.ranks->any(!same);
}

/// All entries of a matrix.
Buffer<WholeEntry> entries_of(const CsrView<double>& matrix) {
  Buffer<WholeEntry> entries;
  entries.reserve(static_cast<std::size_t>(matrix.nonzeros()));
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      entries.push_back({row, matrix.column_indices[k], matrix.values[k]});
    }
  }
  return entries;
}

}  // namespace

RankMatrixOptions part_options(const Layout& layout, bool by_transpose, int rows_together,
                               bool on_gpus) {
  RankMatrixOptions options;
  options.rows_together = layout.block_size;
  options.with_columns = by_transpose;
  options.row_alignment = std::lcm(rows_together, on_gpus ? gpu_row_alignment : 1);
  options.rows_together_in_cut = rows_together;
  return options;
}

RankMatrix distribute(Communicator& ranks, std::int64_t rows, Buffer<WholeEntry> entries,
                      const RankMatrixOptions& options) {
  RankMatrix result;
  result.part.ranks = &ranks;
  // Values of neighbouring rows then lie alike to whole packs on the rank that sends them and on
  // those that receive them.
  const int unit_rows = std::lcm(options.rows_together, options.row_alignment);
  result.part.rows =
      cut_rows(ranks, rows, unit_rows, count_entries(ranks, rows, entries, unit_rows));
  std::vector<Buffer<WholeEntry>> own;
  own.push_back(std::move(entries));
  if (options.cut) {
    own = send_to_owners(ranks, result.part.rows, std::move(own), false);
    const int of_node = std::lcm(options.rows_together, options.rows_together_in_cut);
    RankRenumbering renumbering =
        renumber_by_parts(ranks, result.part.rows, own, options.cut, of_node, unit_rows);
    result.part.rows = std::move(renumbering.parts);
    result.order = std::move(renumbering.order);
  }
  own = send_to_owners(ranks, result.part.rows, std::move(own), options.with_columns);
  PartNumbers numbers;
  do_together(ranks, [&] {
    const RankRows& rows_of = result.part.rows;
    const int rank = ranks.rank();
    numbers = PartNumbers(rows_of, rank, foreign_rows(own, rows_of.begin(rank), rows_of.end(rank)),
                          options.rows_together, options.row_alignment);
    AssembledMatrix assembled = assemble_part(numbers, std::move(own), options.threads);
    result.matrix = std::move(assembled.matrix);
    result.duplicates = assembled.duplicates > 0;
  });
  result.part.own = numbers.own();
  result.part.halo = plan_halo(ranks, result.part.rows, numbers);
  const std::int64_t nonzeros = result.part.own.nonzeros(result.matrix.row_offsets);
  result.nonzeros = static_cast<std::int64_t>(ranks.sum(static_cast<double>(nonzeros)));
  result.duplicates = ranks.any(result.duplicates);
  return result;
}

RankMatrix distribute_whole(Communicator& ranks, const CsrView<double>& whole,
                            const RankMatrixOptions& options) {
  const bool has_it = ranks.rank() == 0;
  const auto rows =
      static_cast<std::int64_t>(ranks.maximum(has_it ? static_cast<double>(whole.rows) : 0));
  Buffer<WholeEntry> entries;
  do_together(ranks, [&] {
    if (has_it) entries = entries_of(whole);
  });
  return distribute(ranks, rows, std::move(entries), options);
}

RankMatrixFile read_rank_matrix(const std::filesystem::path& path, Communicator& ranks,
                                RankMatrixOptions options, bool asks_symmetry) {
  std::unique_ptr<MatrixFilePart> part;
  do_together(ranks, [&] {
    part = open_matrix_part(path, ranks.rank(), ranks.size(), options.threads);
    const StoredShape& shape = part->shape();
    if (shape.rows != shape.columns) {
      throw Error(file_label(path) + ": " + std::to_string(shape.rows) + " rows and " +
                  std::to_string(shape.columns) + " columns; a solve needs a square matrix");
    }
  });
  require_one_file(ranks, file_label(path), part->identity());
  // The line, or the byte, says where: which rank has read it is of no matter. Who finds no memory
  // is named.
  const auto read = [&](const std::function<void()>& some) {
    std::string malformed;
    do_together(ranks, [&] {
      try {
        some();
      } catch (const Error& error) {
        malformed = error.what();
      }
    });
    if (const auto first = first_error(ranks, malformed)) throw Error(first->text);
  };
  PartCount mine;
  read([&] { mine = part->count(); });
  PartCount before;
  PartCount all;
  int rank = 0;
  for (const PartCount& theirs : gather(ranks, mine)) {
    if (rank++ == ranks.rank()) before = all;
    all.entries += theirs.entries;
    all.lines += theirs.lines;
  }
  Buffer<WholeEntry> entries;
  read([&] { entries = expanded(part->take(before, all), part->shape()); });

  const StoredShape shape = part->shape();
  part.reset();
  RankMatrixFile file;
  file.symmetric = shape.symmetry == StoredSymmetry::symmetric;
  const bool looks = asks_symmetry && !file.symmetric;
  options.with_columns = options.with_columns || looks;
  file.matrix = distribute(ranks, shape.rows, std::move(entries), options);
  if (looks) file.symmetric = is_symmetric(file.matrix);
  return file;
}

}  // namespace sparsecast
