#include "base/text.h"

#include <cmath>

namespace headscope {
namespace {

constexpr int kDigits = 6;

void append_whole(std::string& text, double number) {
  if (number >= 10) append_whole(text, std::floor(number / 10));
  text.push_back(static_cast<char>('0' + static_cast<int>(number - 10 * std::floor(number / 10))));
}

/// The digits of a number from 1 to 10, six at most and without zeros at their end, and how many
/// tens it was away.
struct Decimal {
  std::string digits;
  int exponent;
};
Decimal decimal_of(double number) {
  int exponent = 0;
  while (number >= 10) number /= 10, ++exponent;
  while (number < 1) number *= 10, --exponent;
  std::string digits;
  append_whole(digits, std::round(number * 1e5));
  if (digits.size() > kDigits) ++exponent;  // it was rounded up to 10
  digits.resize(kDigits);
  digits.erase(digits.find_last_not_of('0') + 1);
  return {digits, exponent};
}

void append_scientific(std::string& text, const Decimal& decimal) {
  text.push_back(decimal.digits[0]);
  if (decimal.digits.size() > 1) text.append(1, '.').append(decimal.digits, 1);
  text.append(decimal.exponent < 0 ? "e-" : "e+");
  append_whole(text, decimal.exponent < 0 ? -decimal.exponent : decimal.exponent);
}

/// The standard library's own way of writing a double is larger than all the messages it would
/// serve.
void append_fraction(std::string& text, double number) {
  const Decimal decimal = decimal_of(number);
  if (decimal.exponent < -6 || decimal.exponent >= kDigits) return append_scientific(text, decimal);
  std::string digits = decimal.digits;
  int before = decimal.exponent + 1;  // digits before the point
  if (before < 1) {
    digits.insert(0, static_cast<std::size_t>(1 - before), '0');
    before = 1;
  }
  const auto point = static_cast<std::size_t>(before);
  if (digits.size() < point) digits.resize(point, '0');
  text.append(digits, 0, point);
  if (digits.size() > point) text.append(1, '.').append(digits, point);
}

void append_number(std::string& text, double number) {
  if (std::isnan(number)) {
    text.append("NaN");
    return;
  }
  if (number < 0) text.push_back('-');
  const double magnitude = number < 0 ? -number : number;
  if (std::isinf(magnitude)) {
    text.append("Infinity");
  } else if (magnitude < 1e15 && magnitude == std::floor(magnitude)) {
    append_whole(text, magnitude);
  } else {
    append_fraction(text, magnitude);
  }
}

}  // namespace

void Piece::append_to(std::string& text) const {
  if (is_number_) {
    append_number(text, number_);
  } else {
    text.append(words_);
  }
}

std::string text_of(Pieces pieces) {
  std::string text;
  for (const Piece& piece : pieces) piece.append_to(text);
  return text;
}

}  // namespace headscope
