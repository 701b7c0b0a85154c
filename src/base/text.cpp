#include "base/text.h"

#include <cmath>

namespace headscope {
namespace {

constexpr int kDigits = 6;

void append_whole(std::string& text, double number) {
  if (number >= 10) append_whole(text, std::floor(number / 10));
  text.push_back(static_cast<char>('0' + static_cast<int>(number - 10 * std::floor(number / 10))));
}

/// In the form 1.5e-7. The standard library's own way of writing a double is larger than all the
/// messages it would serve.
void append_scientific(std::string& text, double number) {
  int exponent = 0;
  while (number >= 10) number /= 10, ++exponent;
  while (number < 1) number *= 10, --exponent;
  const double scaled = std::round(number * 1e5);
  std::string digits;
  append_whole(digits, scaled);
  if (digits.size() > kDigits) ++exponent;
  digits.resize(kDigits);
  digits.erase(digits.find_last_not_of('0') + 1);
  text.push_back(digits[0]);
  if (digits.size() > 1) text.append(1, '.').append(digits, 1);
  if (exponent == 0) return;
  text.append(exponent < 0 ? "e-" : "e");
  append_whole(text, exponent < 0 ? -exponent : exponent);
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
    append_scientific(text, magnitude);
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
