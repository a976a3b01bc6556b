#include "core/matrix/files/matlab/matlab.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/archives/deflate.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/base/byte_order.hpp"
#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/matrix/files/assembly.hpp"
#include "core/matrix/files/matlab/mat_elements.hpp"
#include "core/matrix/files/text_tokens.hpp"
#include "core/matrix/transpose.hpp"

namespace sparsecast {
namespace {

constexpr std::size_t header_bytes = 128;
constexpr std::size_t version_at = 124;
constexpr std::size_t order_at = 126;

/// Classes of variables (table 1-3).
constexpr unsigned structure_class = 2;
constexpr unsigned sparse_class = 5;
constexpr unsigned complex_flag = 8;

constexpr const char* how_to_save =
    "expected level 5: save it with save('NAME.mat', 'A', '-v7'), or scipy.io.savemat";

/// What a variable says of itself before its content.
struct Variable {
  unsigned kind = 0;
  unsigned flags = 0;
  std::vector<std::int64_t> sizes;
  std::string name;
};

/// Reads flags, sizes and name, with which variables begin; of those that can hold no sparse matrix
/// the flags alone (objects go on in another way).
Variable read_beginning(MatElements& elements, std::endian order) {
  constexpr std::size_t most_sizes = 32;
  Variable variable;
  const MatElement flags = elements.next("the flags");
  if (flags.type != MatType::uint32 || flags.data.size() != 8) {
    throw Error("the flags of a variable are damaged; expected an intact MATLAB file");
  }
  const auto word = number_at<std::uint32_t>(flags.data.data(), order);
  variable.kind = word & 0xff;
  variable.flags = word >> 8 & 0xff;
  if (variable.kind != sparse_class && variable.kind != structure_class) return variable;
  const MatElement sizes = elements.next("the size");
  if (sizes.type != MatType::int32 || sizes.data.size() % 4 != 0 ||
      sizes.data.size() > 4 * most_sizes) {
    throw Error("the size of a variable is damaged; expected an intact MATLAB file");
  }
  for (std::size_t at = 0; at < sizes.data.size(); at += 4) {
    variable.sizes.push_back(number_at<std::int32_t>(sizes.data.data() + at, order));
  }
  const MatElement name = elements.next("the name");
  if (name.type != MatType::int8 && name.type != MatType::uint8) {
    throw Error("the name of a variable is damaged; expected an intact MATLAB file");
  }
  variable.name = brief(name.data.substr(0, 64));
  return variable;
}

/// A number array's type; throws for what is none.
NumberType numbers_of(const MatElement& element, std::endian order, const std::string& where) {
  const auto type = number_type_of(element.type, order);
  if (!type || element.data.size() % type->bytes != 0) {
    throw Error(where + " are no numbers; expected an intact MATLAB file");
  }
  return *type;
}

NumberType integers_of(const MatElement& element, std::endian order, const std::string& where) {
  const NumberType type = numbers_of(element, order, where);
  if (type.kind == NumberType::Kind::floating) {
    throw Error(where + " are floating-point numbers; expected integers");
  }
  return type;
}

/// Reads a sparse variable whose beginning is read: row indices, offsets of columns, values.
MatrixFromFile read_sparse(MatElements& elements, const Variable& variable, const std::string& name,
                           std::endian order, const MatrixFileOptions& options) {
  if ((variable.flags & complex_flag) != 0) {
    throw Error(name + ": complex values are not supported; expected a real matrix");
  }
  if (variable.sizes.size() != 2) {
    throw Error(name + ": " + std::to_string(variable.sizes.size()) +
                " dimensions; expected rows and columns");
  }
  const std::int64_t rows = variable.sizes[0];
  const std::int64_t columns = variable.sizes[1];
  const MatElement indices = elements.next("its row indices");
  const MatElement offsets = elements.next("its column offsets");
  const MatElement values = elements.next("its values");
  if (!elements.at_end()) throw Error(name + ": more than values follows; expected its end");
  const std::string of_indices = name + ": row indices";
  const std::string of_offsets = name + ": column offsets";
  const std::string of_values = name + ": values";
  const NumberType index_type = integers_of(indices, order, of_indices);
  const NumberType offset_type = integers_of(offsets, order, of_offsets);
  const NumberType value_type = numbers_of(values, order, of_values);
  const auto held = static_cast<std::int64_t>(
      std::min(indices.data.size() / index_type.bytes, values.data.size() / value_type.bytes));
  if (columns < 0 || std::cmp_not_equal(offsets.data.size() / offset_type.bytes, columns + 1)) {
    throw Error(of_offsets + ": " + std::to_string(offsets.data.size() / offset_type.bytes) +
                " for " + std::to_string(columns) + " columns; expected one more than columns");
  }
  CsrMatrix<double> by_columns;
  by_columns.rows = columns;
  by_columns.columns = rows;
  by_columns.row_offsets =
      convert_offsets(offsets.data, offset_type, held, of_offsets, options.threads);
  // There may be room behind the entries (nzmax).
  const std::int64_t entries = by_columns.row_offsets[columns];
  const std::string wrong = wrong_sizes(rows, columns, entries);
  if (!wrong.empty()) throw Error(name + ": " + wrong);
  by_columns.column_indices.resize(entries);
  convert_indices(indices.data, index_type, 0, rows - 1, by_columns.column_indices, of_indices,
                  options.threads);
  by_columns.values.resize(entries);
  convert_values(values.data, value_type, by_columns.values, of_values, options.threads);

  CsrMatrix<double> matrix = transpose<double>(by_columns.view(), options.threads);
  by_columns = {};
  auto [assembled, duplicates] = assemble_rows(std::move(matrix), options);
  return {std::move(assembled), StoredSymmetry::general, false, duplicates};
}

/// The content of field `wanted` of a structure of one element whose beginning is read.
std::optional<std::string_view> field_of(MatElements& elements, const Variable& variable,
                                         std::string_view wanted, std::endian order) {
  constexpr std::size_t most_fields = 4096;
  for (const std::int64_t size : variable.sizes) {
    if (size != 1) return std::nullopt;  // an array of structures
  }
  const MatElement length = elements.next("the length of its fields' names");
  if (length.type != MatType::int32 || length.data.size() != 4) {
    throw Error(variable.name + ": its fields are damaged; expected an intact MATLAB file");
  }
  const auto name_bytes = number_at<std::int32_t>(length.data.data(), order);
  const MatElement names = elements.next("its fields' names");
  if (name_bytes < 1 || names.data.size() % static_cast<std::size_t>(name_bytes) != 0 ||
      names.data.size() / static_cast<std::size_t>(name_bytes) > most_fields) {
    throw Error(variable.name + ": its fields are damaged; expected an intact MATLAB file");
  }
  for (std::size_t at = 0; at < names.data.size(); at += static_cast<std::size_t>(name_bytes)) {
    std::string_view name = names.data.substr(at, static_cast<std::size_t>(name_bytes));
    name = name.substr(0, name.find('\0'));
    const MatElement content = elements.next("a field");
    if (content.type != MatType::matrix) {
      throw Error(variable.name + ": a field is damaged; expected an intact MATLAB file");
    }
    if (name == wanted) return content.data;
  }
  return std::nullopt;
}

/// A variable of the file, as far as its first bytes tell.
struct Found {
  Variable variable;
  std::uint64_t begin = 0;  ///< of its content, compressed or not
  std::uint64_t bytes = 0;
  bool compressed = false;
  bool has_field = false;  ///< a structure with a sparse field A
};

class MatFile {
 public:
  explicit MatFile(const ByteSource& file) : file_(file) {
    Buffer<char> scratch;
    const std::string_view header = file.view(0, header_bytes, scratch);
    order_ = header[order_at] == 'I' ? std::endian::little : std::endian::big;
  }

  std::endian order() const { return order_; }

  /// All variables that are sparse, or structures with a sparse field A.
  std::vector<Found> candidates() const {
    std::vector<Found> found;
    for (std::uint64_t at = header_bytes; at < file_.size();) {
      Buffer<char> scratch;
      const std::uint64_t left = file_.size() - at;
      const auto fail = [&](const std::string& what) {
        throw Error("at byte " + std::to_string(at) + ": " + what);
      };
      const MatTag tag = [&] {
        try {
          return read_mat_tag(
              file_.view(at, at + std::min<std::uint64_t>(left, mat_tag_bytes), scratch), order_);
        } catch (const Error& error) {
          fail(error.what());
          throw;
        }
      }();
      if (tag.type != MatType::matrix && tag.type != MatType::compressed) {
        fail("an element of type " + std::to_string(static_cast<std::uint32_t>(tag.type)) +
             "; expected a variable");
      }
      if (tag.data_at != mat_tag_bytes || tag.bytes > left - mat_tag_bytes) {
        fail("a variable takes " + std::to_string(tag.bytes) + " bytes, but " +
             std::to_string(left - mat_tag_bytes) + " follow; expected an intact file");
      }
      Found variable{{}, at + mat_tag_bytes, tag.bytes, tag.type == MatType::compressed};
      try {
        if (look_at(variable)) found.push_back(std::move(variable));
      } catch (const Error& error) {
        fail(error.what());
      }
      at += tag.end;
    }
    return found;
  }

  /// The content of a variable, without its tag; `storage` may hold it.
  std::string_view content(const Found& variable, Buffer<char>& storage) const {
    Buffer<char> scratch;
    if (!variable.compressed) {
      return file_.view(variable.begin, variable.begin + variable.bytes, storage);
    }
    const std::string_view compressed =
        file_.view(variable.begin, variable.begin + variable.bytes, scratch);
    const std::string tag_bytes = beginning_of_zlib(compressed, mat_tag_bytes);
    const MatTag tag = read_mat_tag(tag_bytes, order_);
    if (tag.type != MatType::matrix || tag.data_at != mat_tag_bytes) {
      throw Error("what is compressed is no variable; expected one");
    }
    if (tag.bytes / largest_gzip_ratio > variable.bytes) {
      throw Error("a variable says that it expands from " + std::to_string(variable.bytes) +
                  " to " + std::to_string(tag.bytes) + " bytes; expected an intact file");
    }
    storage.resize(mat_tag_bytes + tag.bytes);
    inflate_zlib(compressed, storage);
    return std::string_view(storage.data(), storage.size()).substr(mat_tag_bytes);
  }

 private:
  /// Reads a variable's beginning; whether it is a candidate.
  bool look_at(Found& found) const {
    constexpr std::uint64_t enough = 1024;
    Buffer<char> scratch;
    std::string beginning;
    if (found.compressed) {
      // DEFLATE makes data longer by a few bytes at most.
      const std::uint64_t bytes = std::min(found.bytes, 2 * enough);
      beginning = beginning_of_zlib(file_.view(found.begin, found.begin + bytes, scratch),
                                    enough + mat_tag_bytes);
      beginning.erase(0, std::min(beginning.size(), mat_tag_bytes));
    } else {
      beginning = file_.view(found.begin, found.begin + std::min(found.bytes, enough), scratch);
    }
    MatElements elements(beginning, order_, "a variable");
    found.variable = read_beginning(elements, order_);
    if (found.variable.kind == sparse_class) return true;
    if (found.variable.kind != structure_class) return false;
    Buffer<char> storage;
    MatElements all(content(found, storage), order_, found.variable.name);
    read_beginning(all, order_);
    const auto field = field_of(all, found.variable, "A", order_);
    if (!field) return false;
    MatElements in_field(*field, order_, found.variable.name + ".A");
    found.has_field = read_beginning(in_field, order_).kind == sparse_class;
    return found.has_field;
  }

  const ByteSource& file_;
  std::endian order_ = std::endian::little;
};

std::string name_of(const Found& found) {
  return found.variable.name + (found.has_field ? ".A" : "");
}

/// Level 4 has no mark: five integers, of which the first says how numbers are stored.
bool is_level_4(std::string_view beginning) {
  if (beginning.size() < 20) return false;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const auto at = [&](std::size_t k) {
      return number_at<std::int32_t>(beginning.data() + 4 * k, order);
    };
    const std::int32_t type = at(0);
    const bool plausible = type >= 0 && type < 5000 && type / 100 % 10 == 0 &&
                           type / 10 % 10 <= 5 && type % 10 <= 2 &&
                           type / 1000 == (order == std::endian::little ? 0 : 1);
    const bool sizes = at(1) > 0 && at(2) > 0 && (at(3) == 0 || at(3) == 1);
    const std::int32_t name = at(4);
    if (!plausible || !sizes || name < 2 || name > 64) continue;
    // A name as MATLAB takes it, with a zero byte behind it.
    const std::string_view text = beginning.substr(20, static_cast<std::size_t>(name));
    if (text.size() < static_cast<std::size_t>(name) || text.back() != '\0') continue;
    const std::string_view letters = text.substr(0, text.size() - 1);
    if (std::ranges::all_of(letters, [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '_';
        })) {
      return true;
    }
  }
  return false;
}

bool is_hdf5(std::string_view beginning) {
  return beginning.starts_with("\x89HDF\r\n\x1a\n");
}

bool is_level_5(std::string_view beginning) {
  if (beginning.size() < header_bytes) return beginning.starts_with("MATLAB 5.0 MAT-file");
  const std::string_view order = beginning.substr(order_at, 2);
  const auto version = [&](std::endian by) {
    return number_at<std::uint16_t>(beginning.data() + version_at, by) >> 8;
  };
  return (order == "IM" && version(std::endian::little) <= 2) ||
         (order == "MI" && version(std::endian::big) <= 2);
}

}  // namespace

bool is_matlab(std::string_view beginning) {
  return is_level_5(beginning) || beginning.starts_with("MATLAB 7.3 MAT-file") ||
         is_hdf5(beginning) || is_level_4(beginning);
}

MatrixFromFile parse_matlab(const ByteSource& bytes, const MatrixFileOptions& options) {
  {
    Buffer<char> scratch;
    const std::string_view beginning =
        bytes.view(0, std::min<std::size_t>(bytes.size(), header_bytes), scratch);
    if (beginning.starts_with("MATLAB 7.3 MAT-file") || is_hdf5(beginning)) {
      throw Error(std::string("this is an HDF5 file (MATLAB 7.3); ") + how_to_save);
    }
    if (beginning.size() == header_bytes && is_level_5(beginning)) {
      const std::endian order = beginning[order_at] == 'I' ? std::endian::little : std::endian::big;
      if (const auto version = number_at<std::uint16_t>(beginning.data() + version_at, order);
          version != 0x0100) {
        throw Error("this is a MATLAB file of version " + std::to_string(version >> 8) + "; " +
                    how_to_save);
      }
    } else if (is_level_4(beginning)) {
      throw Error(std::string("this is a MATLAB file of level 4; ") + how_to_save);
    } else {
      throw Error("the MATLAB file is truncated in its header; expected an intact file");
    }
  }
  const MatFile file(bytes);
  std::vector<Found> found = file.candidates();
  const auto problem = std::ranges::find_if(
      found, [](const Found& each) { return each.has_field && each.variable.name == "Problem"; });
  if (problem != found.end()) found = {*problem};
  if (found.empty()) {
    throw Error(
        "the MATLAB file has no sparse variable, and no structure with a sparse field A; "
        "expected one (make it sparse: A = sparse(A))");
  }
  if (found.size() > 1) {
    std::string names;
    for (const Found& each : found) names += (names.empty() ? "" : ", ") + name_of(each);
    throw Error("the MATLAB file has several sparse matrices: " + names +
                "; expected one (save the one that is meant by itself)");
  }
  const std::string name = "variable " + name_of(found.front());
  Buffer<char> storage;
  MatElements elements(file.content(found.front(), storage), file.order(), name);
  Variable variable = read_beginning(elements, file.order());
  if (!found.front().has_field) {
    return read_sparse(elements, variable, name, file.order(), options);
  }
  MatElements in_field(*field_of(elements, variable, "A", file.order()), file.order(), name);
  variable = read_beginning(in_field, file.order());
  return read_sparse(in_field, variable, name, file.order(), options);
}

}  // namespace sparsecast
