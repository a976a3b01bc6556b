#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/archives/compressed.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/base/error.hpp"
#include "core/base/files/input_file.hpp"
#include "core/base/threads/thread_team.hpp"
#include "core/matrix/files/assembly.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"
#include "core/matrix/files/market/parsed_text.hpp"
#include "core/matrix/files/market/streamed_text.hpp"

namespace sparsecast {
namespace {

MatrixMarketFile assemble(std::vector<EntryChunk> chunks, const MatrixMarketHeader& header,
                          const MatrixFileOptions& options, ThreadTeam& team) {
  const StoredShape shape = shape_of(header);
  auto [matrix, duplicates] = assemble_entries(chunks, shape, options.drop_explicit_zeros, team);
  return {{std::move(matrix), shape.symmetry, shape.pattern, duplicates}, header};
}

MatrixMarketFile parse_plain(const ByteSource& text, const MatrixFileOptions& options) {
  const MarketBeginning beginning = read_beginning(text);
  const MatrixMarketHeader& header = beginning.header;
  ThreadTeam team(market_threads(options.threads, text.size() - beginning.bytes));
  ParsedText parsed(header);
  parse_lines(text, beginning.bytes, text.size(), parsed, team);
  return assemble(parsed.take({0, beginning.lines}, true, std::nullopt), header, options, team);
}

MatrixMarketFile parse_stream(ByteStream& stream, std::uint64_t most_bytes,
                              const MatrixFileOptions& options) {
  StreamedText text(stream, most_bytes);
  ThreadTeam team(text.threads(options.threads));
  text.parse({}, team);
  return assemble(text.take({}, true), text.header(), options, team);
}

/// `with_file_name`, also where memory does not suffice.
template <class Parse>
MatrixMarketFile parse_named(const std::string& name, const Parse& parse) {
  try {
    return with_file_name(name, parse);
  } catch (const std::bad_alloc&) {
    throw Error(name + ": the matrix does not fit into memory; expected a smaller one");
  }
}

MatrixMarketFile parse_bytes(const ByteSource& bytes, const MatrixFileOptions& options) {
  if (!is_compressed(bytes)) return parse_plain(bytes, options);
  const std::unique_ptr<ByteStream> text = open_compressed(bytes);
  return parse_stream(*text, bytes.size() * largest_gzip_ratio, options);
}

}  // namespace

MatrixMarketFile parse_matrix_market(const ByteSource& bytes, const std::string& name,
                                     const MatrixFileOptions& options) {
  return parse_named(name, [&] { return parse_bytes(bytes, options); });
}

MatrixMarketFile parse_matrix_market(std::string_view text, const std::string& name,
                                     const MatrixFileOptions& options) {
  return parse_matrix_market(MemoryBytes(text), name, options);
}

MatrixMarketFile parse_matrix_market(ByteStream& text, std::uint64_t most_bytes,
                                     const std::string& name, const MatrixFileOptions& options) {
  return parse_named(name, [&] { return parse_stream(text, most_bytes, options); });
}

MatrixMarketFile read_matrix_market(const std::filesystem::path& path,
                                    const MatrixFileOptions& options) {
  return parse_named(path.string(), [&] {
    const InputFile file(path, "a Matrix Market file");
    try {
      MatrixMarketFile matrix = parse_bytes(FileBytes(file), options);
      file.check_unchanged();
      return matrix;
    } catch (const MalformedLine&) {
      file.check_unchanged();  // else who changed it is to blame
      throw;
    }
  });
}

}  // namespace sparsecast
