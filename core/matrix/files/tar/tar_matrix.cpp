#include "core/matrix/files/tar/tar_matrix.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"
#include "core/matrix/files/harwell_boeing/harwell_boeing.hpp"
#include "core/matrix/files/market/matrix_market.hpp"
#include "core/matrix/files/market/matrix_market_lines.hpp"

namespace sparsecast {
namespace {

bool is_matrix(const std::string& member) {
  return member.ends_with(".mtx") || member.ends_with(".rb");
}

/// NAME/NAME.mtx, also in further folders.
bool is_named_like_its_folder(const std::string& member) {
  const std::filesystem::path path(member);
  return is_matrix(member) && path.stem() == path.parent_path().filename();
}

MatrixFromFile parse_member(TarReader& archive, const TarMember& member,
                            const MatrixFileOptions& options) {
  const std::string place = brief(member.name);
  if (member.name.ends_with(".mtx")) {
    return parse_matrix_market(archive, member.size, place, options);
  }
  return with_file_name(place, [&] { return parse_harwell_boeing(archive, options); });
}

/// Of many names the first ones.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k) {
    text += (k == 0 ? "" : ", ") + brief(names[k]);
  }
  return names.size() > most ? text + ", ..." : text;
}

/// All members, until `visit` says false of one; then false.
template <class Visit>
bool for_each_member(ByteStream& stream, const Visit& visit) {
  TarReader archive(stream);
  while (const std::optional<TarMember> member = archive.next()) {
    if (!visit(archive, *member)) return false;
  }
  return true;
}

}  // namespace

void read_matrix_member(const std::function<std::unique_ptr<ByteStream>()>& open,
                        const std::function<bool(TarReader&, const TarMember&)>& read) {
  constexpr std::size_t most_members = 1 << 16;
  std::vector<std::string> members;
  std::vector<std::string> matrices;
  std::vector<std::string> own;
  const bool all = for_each_member(*open(), [&](TarReader& archive, const TarMember& member) {
    if (members.size() == most_members) {
      throw Error("the tar archive has more than " + std::to_string(most_members) +
                  " members; expected a matrix and what belongs to it");
    }
    members.push_back(member.name);
    if (is_matrix(member.name)) matrices.push_back(member.name);
    if (!is_named_like_its_folder(member.name)) return true;
    own.push_back(member.name);
    return own.size() > 1 || read(archive, member);
  });
  if (!all) return;
  const std::vector<std::string>& candidates = own.empty() ? matrices : own;
  if (candidates.size() > 1) {
    throw Error("the tar archive holds several matrices: " + list_of(candidates) +
                "; expected one, as NAME/NAME.mtx (unpack it and name the one that is meant)");
  }
  if (candidates.empty()) {
    throw Error("the tar archive holds no .mtx or .rb file" +
                (members.empty() ? "" : ", but " + list_of(members)) + "; expected NAME/NAME.mtx");
  }
  if (!own.empty()) return;
  for_each_member(*open(), [&](TarReader& archive, const TarMember& member) {
    return member.name != candidates.front() || read(archive, member);
  });
}

MatrixFromFile parse_tar(const std::function<std::unique_ptr<ByteStream>()>& open,
                         const std::string& name, const MatrixFileOptions& options) {
  return with_file_name(name, [&] {
    MatrixFromFile matrix;
    read_matrix_member(open, [&](TarReader& archive, const TarMember& member) {
      matrix = parse_member(archive, member, options);
      return true;
    });
    return matrix;
  });
}

}  // namespace sparsecast
