# Fails if the kernels of an instruction set define symbols that other code could be linked to.
#   kernels_share_no_code.sh NM LIBRARY
symbols=$("$1" -A --defined-only "$2" | grep -E 'kernels_avx[0-9]+')
if ! echo "$symbols" | grep -q 'kernels_f64'; then
  echo "$2: found no kernels of avx2 or avx512" >&2
  exit 1
fi
shared=$(echo "$symbols" | grep -E ' [A-Zuvw] ' | grep -v -E ' [DR] .*kernels_f(32|64)')
if [ -n "$shared" ]; then
  echo "shared symbols:" "$shared" >&2
  exit 1
fi
