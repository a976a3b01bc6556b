#include "core/matrix/files/petsc/petsc_part.hpp"

#include <algorithm>

namespace sparsecast {

PetscPart::PetscPart(const ByteSource& file, int part, int parts, int threads)
    : matrix_(file), threads_(threads) {
  const std::int64_t rows = matrix_.rows();
  shape_.rows = rows;
  shape_.columns = matrix_.columns();
  first_row_ = begin_of_part(rows, part, parts);
  end_row_ = begin_of_part(rows, part + 1, parts);
}

PartCount PetscPart::count() {
  offsets_ = matrix_.offsets(first_row_, end_row_);
  return {offsets_.back(), 0};
}

std::vector<EntryChunk> PetscPart::take(const PartCount& before, const PartCount& all) {
  matrix_.set_entries(all.entries);
  std::vector<EntryChunk> chunks(1);
  EntryChunk& chunk = chunks[0];
  chunk.entries = offsets_.back();
  for (auto* places : {&chunk.rows, &chunk.columns}) {
    places->resize(static_cast<std::size_t>(chunk.entries));
  }
  chunk.values.resize(static_cast<std::size_t>(chunk.entries));
  for (std::size_t k = 0; k + 1 < offsets_.size(); ++k) {
    std::fill(chunk.rows.begin() + offsets_[k], chunk.rows.begin() + offsets_[k + 1],
              static_cast<std::int32_t>(first_row_ + static_cast<std::int64_t>(k)));
  }
  matrix_.read(before.entries, chunk.columns, chunk.values, threads_);
  return chunks;
}

}  // namespace sparsecast
