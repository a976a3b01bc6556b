#include "core/base/archives/zip.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>

#include "core/base/archives/deflate.hpp"
#include "core/base/archives/gzip.hpp"
#include "core/base/byte_order.hpp"
#include "core/base/error.hpp"
#include "core/base/text/text_fields.hpp"

namespace sparsecast {
namespace {

constexpr std::string_view local_magic = "PK\x03\x04";
constexpr std::string_view entry_magic = "PK\x01\x02";
constexpr std::string_view end_magic = "PK\x05\x06";
constexpr std::string_view end64_magic = "PK\x06\x06";
constexpr std::string_view locator64_magic = "PK\x06\x07";
constexpr std::size_t local_bytes = 30;
constexpr std::size_t entry_bytes = 46;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t end64_bytes = 56;
constexpr std::size_t locator64_bytes = 20;
constexpr std::uint64_t most_members = 64;
constexpr std::uint32_t in_extra = 0xffffffff;  ///< a field whose number is in the zip64 record

[[noreturn]] void fail(const std::string& what) {
  throw Error(what + "; expected an intact zip archive as numpy.savez writes it");
}

template <class T>
T get(std::string_view record, std::size_t at) {
  return number_at<T>(record.data() + at, std::endian::little);
}

/// Bytes that must be there.
std::string_view take(const ByteSource& archive, std::uint64_t begin, std::uint64_t size,
                      Buffer<char>& scratch) {
  if (begin > archive.size() || size > archive.size() - begin) {
    fail("the zip archive is truncated, or its offsets are wrong");
  }
  return archive.view(begin, begin + size, scratch);
}

/// Replaces numbers that are `in_extra` by those of the zip64 record of an extra field, in their
/// order. There must be one if, and only if, a number asks for it; but Python's local headers have
/// one always, which then repeats all numbers (`may_repeat`).
void resolve_zip64(std::string_view extra, const std::vector<std::uint64_t*>& numbers,
                   bool may_repeat, const std::string& name) {
  constexpr std::uint16_t zip64 = 1;
  std::vector<std::uint64_t*> asked;
  std::ranges::copy_if(numbers, std::back_inserter(asked),
                       [](const std::uint64_t* number) { return *number == in_extra; });
  bool resolved = false;
  while (!extra.empty()) {
    if (extra.size() < 4) fail("the extra field of " + name + " is damaged");
    const auto kind = get<std::uint16_t>(extra, 0);
    const auto size = get<std::uint16_t>(extra, 2);
    if (extra.size() - 4 < size) fail("the extra field of " + name + " is damaged");
    if (kind == zip64) {
      const bool repeats = asked.empty() && may_repeat;
      const std::vector<std::uint64_t*>& given = repeats ? numbers : asked;
      if (resolved || given.empty() || size != 8 * given.size()) {
        fail("the 64-bit sizes of " + name + " are not those that its header asks for");
      }
      for (std::size_t k = 0; k < given.size(); ++k) {
        const auto number = get<std::uint64_t>(extra, 4 + 8 * k);
        if (repeats && number != *given[k]) {
          fail("the 64-bit sizes of " + name + " differ from those of its header");
        }
        *given[k] = number;
      }
      resolved = true;
    }
    extra.remove_prefix(4 + std::size_t{size});
  }
  if (!resolved && !asked.empty()) fail("the 64-bit sizes of " + name + " are missing");
}

/// Where the central directory lies.
struct Directory {
  std::uint64_t members = 0;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t end = 0;  ///< where the records behind it begin
};

Directory find_directory(const ByteSource& archive) {
  Buffer<char> scratch;
  if (archive.size() < end_bytes) fail("the zip archive is truncated");
  Directory directory;
  directory.end = archive.size() - end_bytes;
  const std::string_view end = take(archive, directory.end, end_bytes, scratch);
  if (!end.starts_with(end_magic)) {
    fail("the zip archive does not end with its directory, or has a comment");
  }
  if (get<std::uint16_t>(end, 20) != 0) fail("the zip archive is truncated in its comment");
  if (get<std::uint16_t>(end, 4) != 0 || get<std::uint16_t>(end, 6) != 0) {
    fail("the zip archive is one of several parts");
  }
  const auto members_here = get<std::uint16_t>(end, 8);
  directory.members = get<std::uint16_t>(end, 10);
  directory.size = get<std::uint32_t>(end, 12);
  directory.begin = get<std::uint32_t>(end, 16);
  if (members_here != directory.members)
    fail("the zip archive counts its members twice, differently");
  const bool asks_for_64 =
      directory.members == 0xffff || directory.size == in_extra || directory.begin == in_extra;
  Buffer<char> scratch64;
  if (asks_for_64) {
    if (directory.end < locator64_bytes + end64_bytes) fail("the zip archive lacks its 64-bit end");
    const std::uint64_t locator_at = directory.end - locator64_bytes;
    const std::string_view locator = take(archive, locator_at, locator64_bytes, scratch64);
    const std::uint64_t at = locator_at - end64_bytes;
    if (!locator.starts_with(locator64_magic) || get<std::uint32_t>(locator, 4) != 0 ||
        get<std::uint64_t>(locator, 8) != at || get<std::uint32_t>(locator, 16) != 1) {
      fail("the 64-bit end of the zip archive is damaged");
    }
    const std::string_view end64 = take(archive, at, end64_bytes, scratch64);
    const auto same = [](std::uint64_t narrow, std::uint64_t wide, std::uint64_t unknown) {
      return narrow == unknown || narrow == wide;
    };
    const auto members = get<std::uint64_t>(end64, 32);
    const auto size = get<std::uint64_t>(end64, 40);
    const auto begin = get<std::uint64_t>(end64, 48);
    if (!end64.starts_with(end64_magic) || get<std::uint64_t>(end64, 4) != end64_bytes - 12 ||
        get<std::uint32_t>(end64, 16) != 0 || get<std::uint32_t>(end64, 20) != 0 ||
        get<std::uint64_t>(end64, 24) != members || !same(directory.members, members, 0xffff) ||
        !same(directory.size, size, in_extra) || !same(directory.begin, begin, in_extra)) {
      fail("the 64-bit end of the zip archive is damaged");
    }
    directory.members = members;
    directory.size = size;
    directory.begin = begin;
    directory.end = at;
  }
  if (directory.begin > directory.end || directory.size != directory.end - directory.begin) {
    fail("the directory of the zip archive does not lie where its end says");
  }
  if (directory.members > most_members) {
    fail("the zip archive has " + std::to_string(directory.members) + " members, more than " +
         std::to_string(most_members));
  }
  return directory;
}

/// Compares the header before a member's content with its entry, and finds where that begins.
/// Returns where the header begins.
std::uint64_t read_local_header(const ByteSource& archive, std::uint64_t at, std::string_view entry,
                                ZipMember& member) {
  Buffer<char> scratch;
  const std::string name = in_quotes(member.name);
  const std::string_view fixed = take(archive, at, local_bytes, scratch);
  const bool same_kind = fixed.starts_with(local_magic) &&
                         // flags, method, time, date and checksum
                         fixed.substr(6, 12) == entry.substr(8, 12);
  std::uint64_t compressed = get<std::uint32_t>(fixed, 18);
  std::uint64_t size = get<std::uint32_t>(fixed, 22);
  const std::uint64_t name_bytes = get<std::uint16_t>(fixed, 26);
  const std::uint64_t extra_bytes = get<std::uint16_t>(fixed, 28);
  const std::string_view rest = take(archive, at + local_bytes, name_bytes + extra_bytes, scratch);
  if (same_kind) resolve_zip64(rest.substr(name_bytes), {&size, &compressed}, true, name);
  if (!same_kind || rest.substr(0, name_bytes) != member.name || compressed != member.compressed ||
      size != member.size) {
    fail("the header of " + name + " differs from the directory of the zip archive");
  }
  member.begin = at + local_bytes + name_bytes + extra_bytes;
  return at;
}

/// The part of the archive that a member takes, its header included.
struct Extent {
  std::uint64_t begin;
  std::uint64_t end;
};

void check_extents(std::vector<Extent> extents, std::uint64_t directory) {
  std::ranges::sort(extents, {}, &Extent::begin);
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (extents[k].end > (k + 1 < extents.size() ? extents[k + 1].begin : directory)) {
      fail("members of the zip archive overlap");
    }
  }
}

void check_member(const ZipMember& member, std::uint16_t flags, std::uint16_t method,
                  std::uint64_t archive_bytes) {
  enum Flags : unsigned { encrypted = 1, descriptor = 8, utf8 = 0x800 };
  const std::string name = in_quotes(member.name);
  if ((flags & encrypted) != 0) fail(name + " is encrypted");
  if ((flags & descriptor) != 0) {
    fail(name + " was written to a pipe, with its sizes behind it (save it to a file)");
  }
  if ((flags & ~static_cast<unsigned>(utf8)) != 0)
    fail(name + " uses a feature that is unknown here");
  constexpr std::uint16_t stored = 0;
  constexpr std::uint16_t deflated = 8;
  if (method != stored && method != deflated) {
    fail(name + " is compressed by method " + std::to_string(method) + ", not by DEFLATE");
  }
  if (member.compressed > archive_bytes) fail(name + " is larger than the archive");
  if (method == stored ? member.size != member.compressed
                       : member.size / largest_gzip_ratio > member.compressed) {
    fail(name + " says that it expands from " + std::to_string(member.compressed) + " to " +
         std::to_string(member.size) + " bytes");
  }
}

}  // namespace

bool is_zip(std::string_view data) {
  return data.starts_with(local_magic) || data.starts_with(end_magic);
}

std::vector<ZipMember> read_zip_directory(const ByteSource& archive) {
  const Directory directory = find_directory(archive);
  Buffer<char> scratch;
  if (directory.size > most_members * (entry_bytes + 3 * std::uint64_t{1 << 16})) {
    fail("the directory of the zip archive is too large");
  }
  std::string_view rest = take(archive, directory.begin, directory.size, scratch);
  std::vector<ZipMember> members;
  std::vector<Extent> extents;
  std::set<std::string> names;
  for (std::uint64_t k = 0; k < directory.members; ++k) {
    if (rest.size() < entry_bytes || !rest.starts_with(entry_magic)) {
      fail("the directory of the zip archive is damaged");
    }
    const std::string_view entry = rest.substr(0, entry_bytes);
    const std::size_t name_bytes = get<std::uint16_t>(entry, 28);
    const std::size_t extra_bytes = get<std::uint16_t>(entry, 30);
    const std::size_t comment_bytes = get<std::uint16_t>(entry, 32);
    if (rest.size() - entry_bytes < name_bytes + extra_bytes + comment_bytes) {
      fail("the directory of the zip archive is damaged");
    }
    ZipMember member;
    member.name = std::string(rest.substr(entry_bytes, name_bytes));
    const std::uint16_t flags = get<std::uint16_t>(entry, 8);
    const std::uint16_t method = get<std::uint16_t>(entry, 10);
    member.deflated = method != 0;
    member.checksum = get<std::uint32_t>(entry, 16);
    member.compressed = get<std::uint32_t>(entry, 20);
    member.size = get<std::uint32_t>(entry, 24);
    std::uint64_t offset = get<std::uint32_t>(entry, 42);
    if (get<std::uint16_t>(entry, 34) != 0) fail("the zip archive is one of several parts");
    resolve_zip64(rest.substr(entry_bytes + name_bytes, extra_bytes),
                  {&member.size, &member.compressed, &offset}, false, in_quotes(member.name));
    check_member(member, flags, method, archive.size());
    if (!names.insert(member.name).second) {
      fail("the zip archive has two members " + in_quotes(member.name));
    }
    const std::uint64_t begin = read_local_header(archive, offset, entry, member);
    extents.push_back({begin, member.begin + member.compressed});
    rest.remove_prefix(entry_bytes + name_bytes + extra_bytes + comment_bytes);
    members.push_back(std::move(member));
  }
  if (!rest.empty()) fail("the directory of the zip archive is longer than its members");
  check_extents(std::move(extents), directory.begin);
  return members;
}

std::string beginning_of_member(const ByteSource& archive, const ZipMember& member,
                                std::size_t size) {
  Buffer<char> scratch;
  // DEFLATE makes data longer by a few bytes at most.
  const std::uint64_t needed = member.deflated ? 2 * size + 64 : size;
  const std::string_view bytes =
      take(archive, member.begin, std::min<std::uint64_t>(member.compressed, needed), scratch);
  return member.deflated ? beginning_of_bare(bytes, size) : std::string(bytes);
}

Buffer<char> read_zip_member(const ByteSource& archive, const ZipMember& member) {
  Buffer<char> content;
  if (member.deflated) {
    Buffer<char> scratch;
    const std::string_view compressed = take(archive, member.begin, member.compressed, scratch);
    content.resize(member.size);
    inflate_bare(compressed, content);
  } else {
    const std::string_view view = take(archive, member.begin, member.size, content);
    if (view.data() != content.data()) content.assign(view.begin(), view.end());
  }
  if (crc32_of({content.data(), content.size()}) != member.checksum) {
    throw Error("the checksum is wrong; expected an intact file");
  }
  return content;
}

}  // namespace sparsecast
