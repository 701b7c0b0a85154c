#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/view.h"

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

// The vector type of the kernels, and the one home of what depends on the instruction set. GCC's
// vector extensions carry the arithmetic, so the same kernels run natively, in Wasm SIMD and in
// relaxed SIMD.

#if defined(__clang__)
#define HEADSCOPE_UNROLL _Pragma("clang loop unroll(full)")
#define HEADSCOPE_KEEP_LOOP _Pragma("clang loop unroll(disable)")
#else
#define HEADSCOPE_UNROLL _Pragma("GCC unroll 16")
#define HEADSCOPE_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

namespace headscope {

/// Four float lanes.
using F32x4 = float __attribute__((vector_size(16)));
/// Four integer lanes; a comparison of F32x4 gives 0 or -1 in each.
using I32x4 = std::int32_t __attribute__((vector_size(16)));
using U32x4 = std::uint32_t __attribute__((vector_size(16)));

/// Two double lanes.
using F64x2 = double __attribute__((vector_size(16)));

/// Sixteen and eight small integer lanes, for products in int8.
using I8x16 = std::int8_t __attribute__((vector_size(16)));
using I16x8 = std::int16_t __attribute__((vector_size(16)));

inline constexpr Index kLanes = 4;

/// Rows of a product's register tile of 8 columns. With six, V8 is 3% faster, but SpiderMonkey
/// spills the sums and takes twice as long (Chromium 156, Firefox 153, x86-64).
inline constexpr int kTileRows = 5;

/// Whether the build has the instruction for products of 8-bit integers: natively lanes stand in
/// for it.
#if defined(__wasm_relaxed_simd__) || !defined(__wasm__)
inline constexpr bool kHasDot = true;
#else
inline constexpr bool kHasDot = false;
#endif

inline F32x4 splat(float x) { return F32x4{x, x, x, x}; }

inline F32x4 load(const float* p) {
  F32x4 x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

inline void store(float* p, F32x4 x) { std::memcpy(p, &x, sizeof x); }

/// One float in all lanes.
inline F32x4 load_splat(const float* p) {
#if defined(__wasm_simd128__)
  return reinterpret_cast<F32x4>(wasm_v128_load32_splat(p));
#else
  return splat(*p);
#endif
}

/// The same numbers, of which the compiler does not know the values. A vector of them that is read
/// before a loop stays in its register or on the stack; a constant is made anew in every step by V8
/// 14.6, not by 11.3, which takes exp nearly twice the time.
template <class Numbers>
const Numbers* kept(const Numbers& numbers) {
  const Numbers* p = &numbers;
  __asm__("" : "+r"(p));
  return p;
}

/// The first `count` (0 to 3) floats at p, `fill` in the other lanes. Reads nothing past them.
inline F32x4 load_partial(const float* p, Index count, float fill) {
  float lanes[kLanes] = {fill, fill, fill, fill};
  HEADSCOPE_KEEP_LOOP
  for (Index i = 0; i < count; ++i) lanes[i] = p[i];
  return load(lanes);
}

/// Writes the first `count` (0 to 3) lanes.
inline void store_partial(float* p, F32x4 x, Index count) {
  float lanes[kLanes];
  store(lanes, x);
  HEADSCOPE_KEEP_LOOP
  for (Index i = 0; i < count; ++i) p[i] = lanes[i];
}

/// a * b + c, fused where the instruction set has it. Give it no infinities whose NaN would matter.
inline F32x4 madd(F32x4 a, F32x4 b, F32x4 c) {
#if defined(__wasm_relaxed_simd__)
  return reinterpret_cast<F32x4>(wasm_f32x4_relaxed_madd(
      reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b), reinterpret_cast<v128_t>(c)));
#else
  return a * b + c;
#endif
}

inline F32x4 select(I32x4 mask, F32x4 yes, F32x4 no) {
  return reinterpret_cast<F32x4>((reinterpret_cast<I32x4>(yes) & mask) |
                                 (reinterpret_cast<I32x4>(no) & ~mask));
}

/// x where the mask is 0, else 0.
inline F32x4 zero_where(I32x4 mask, F32x4 x) {
  return reinterpret_cast<F32x4>(reinterpret_cast<I32x4>(x) & ~mask);
}

/// a < b ? b : a in each lane; a NaN in a stays.
inline F32x4 max(F32x4 a, F32x4 b) {
#if defined(__wasm_simd128__)
  return reinterpret_cast<F32x4>(
      wasm_f32x4_pmax(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b)));
#else
  return select(a < b, b, a);
#endif
}

inline F32x4 abs(F32x4 x) {
#if defined(__wasm_simd128__)
  return reinterpret_cast<F32x4>(wasm_f32x4_abs(reinterpret_cast<v128_t>(x)));
#else
  constexpr std::int32_t kAllButSign = 0x7fffffff;
  return reinterpret_cast<F32x4>(reinterpret_cast<I32x4>(x) &
                                 I32x4{kAllButSign, kAllButSign, kAllButSign, kAllButSign});
#endif
}

/// Sum of the lanes, in a fixed order.
inline float sum(F32x4 x) { return (x[0] + x[2]) + (x[1] + x[3]); }

inline float max(F32x4 x) {
  const F32x4 y = max(x, F32x4{x[2], x[3], x[0], x[1]});
  return max(y, F32x4{y[1], y[0], y[3], y[2]})[0];
}

/// The first two lanes as doubles.
inline F64x2 low_as_double(F32x4 x) {
#if defined(__wasm_simd128__)
  return reinterpret_cast<F64x2>(wasm_f64x2_promote_low_f32x4(reinterpret_cast<v128_t>(x)));
#else
  return F64x2{x[0], x[1]};
#endif
}

/// The last two lanes as doubles.
inline F64x2 high_as_double(F32x4 x) { return low_as_double(F32x4{x[2], x[3], x[2], x[3]}); }

/// Eight bytes in eight 16-bit lanes.
inline I16x8 load_widened(const std::int8_t* p) {
#if defined(__wasm_simd128__)
  return reinterpret_cast<I16x8>(wasm_i16x8_load8x8(p));
#else
  return I16x8{p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
#endif
}

/// Two neighbouring integers, in all pairs of lanes.
inline I16x8 load_splat_pair(const std::int16_t* p) {
#if defined(__wasm_simd128__)
  return reinterpret_cast<I16x8>(wasm_v128_load32_splat(p));
#else
  return I16x8{p[0], p[1], p[0], p[1], p[0], p[1], p[0], p[1]};
#endif
}

/// Four neighbouring integers, in all fours of lanes.
inline I8x16 load_splat_four(const std::int8_t* p) {
  std::int32_t four;
  std::memcpy(&four, p, sizeof four);
  return reinterpret_cast<I8x16>(I32x4{four, four, four, four});
}

inline I8x16 load(const std::int8_t* p) {
  I8x16 x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

inline I32x4 load(const std::int32_t* p) {
  I32x4 x;
  std::memcpy(&x, p, sizeof x);
  return x;
}

inline void store(std::int32_t* p, I32x4 x) { std::memcpy(p, &x, sizeof x); }

/// sum + a b, added up over the two lanes of a and b that lie under one of sum.
inline I32x4 dot_add(I16x8 a, I16x8 b, I32x4 sum) {
#if defined(__wasm_simd128__)
  return sum + reinterpret_cast<I32x4>(
                   wasm_i32x4_dot_i16x8(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b)));
#else
  for (int i = 0; i < kLanes; ++i) sum[i] += a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return sum;
#endif
}

/// sum + a b, added up over the four lanes of a and b that lie under one of sum. Engines may take b
/// without a sign, as here natively, or with one, and some do not get every sum right where b is
/// not 0 to 127: kernels/int8_kernel.h tells.
inline I32x4 dot_add(I8x16 a, I8x16 b, I32x4 sum) {
#if defined(__wasm_relaxed_simd__)
  return reinterpret_cast<I32x4>(wasm_i32x4_relaxed_dot_i8x16_i7x16_add(
      reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b), reinterpret_cast<v128_t>(sum)));
#else
  for (int i = 0; i < 4 * kLanes; ++i) sum[i / 4] += a[i] * static_cast<std::uint8_t>(b[i]);
  return sum;
#endif
}

/// The nearest integers, of numbers below 2^22 in size; halves go to the even one.
class NearestInteger {
 public:
  I32x4 operator()(F32x4 x) const {
    return reinterpret_cast<I32x4>(x + shift_) - reinterpret_cast<I32x4>(shift_);
  }

 private:
  // Adding 1.5 * 2^23 leaves the integer in the low bits of the sum.
  static constexpr float kShift = 12582912.0f;
  F32x4 shift_ = load_splat(kept(kShift));
};

inline F32x4 to_float(I32x4 x) { return __builtin_convertvector(x, F32x4); }

/// Writes four integers that fit as 16 bits each.
inline void store_narrowed(std::int16_t* p, I32x4 x) {
#if defined(__wasm_simd128__)
  const v128_t v = reinterpret_cast<v128_t>(x);
  wasm_v128_store64_lane(p, wasm_i16x8_narrow_i32x4(v, v), 0);
#else
  for (int i = 0; i < kLanes; ++i) p[i] = static_cast<std::int16_t>(x[i]);
#endif
}

/// Writes four integers that fit as 8 bits each.
inline void store_narrowed(std::int8_t* p, I32x4 x) {
#if defined(__wasm_simd128__)
  const v128_t v = reinterpret_cast<v128_t>(x), narrow = wasm_i16x8_narrow_i32x4(v, v);
  wasm_v128_store32_lane(p, wasm_i8x16_narrow_i16x8(narrow, narrow), 0);
#else
  for (int i = 0; i < kLanes; ++i) p[i] = static_cast<std::int8_t>(x[i]);
#endif
}

/// Turns four rows of four into four columns of four.
inline void transpose(F32x4 rows[4]) {
  const F32x4 a = rows[0], b = rows[1], c = rows[2], d = rows[3];
  rows[0] = F32x4{a[0], b[0], c[0], d[0]};
  rows[1] = F32x4{a[1], b[1], c[1], d[1]};
  rows[2] = F32x4{a[2], b[2], c[2], d[2]};
  rows[3] = F32x4{a[3], b[3], c[3], d[3]};
}

/// Reads one word of every cache line, so that the lines arrive together and before they are
/// needed: Wasm has no prefetch.
inline void touch(const void* data, Index bytes) {
  constexpr Index kCacheLine = 64;
  const char* p = static_cast<const char*>(data);
  std::uint32_t seen = 0;
  for (Index i = 0; i < bytes; i += kCacheLine) {
    std::uint32_t word;
    std::memcpy(&word, p + i, sizeof word);
    seen |= word;
  }
  __asm__ volatile("" : : "r"(seen));
}

/// Reads the first few lines of every page, after which a processor that finds streams goes on by
/// itself while the program does something else.
inline void start_streams(const void* data, Index bytes) {
  constexpr Index kPage = 4096, kStart = 256;
  const char* p = static_cast<const char*>(data);
  for (Index i = 0; i < bytes; i += kPage) touch(p + i, std::min(kStart, bytes - i));
}

}  // namespace headscope
