#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace headscope {

/// A piece of a text: words, or a number.
class Piece {
 public:
  Piece(const char* words) : words_(words) {}
  Piece(std::string_view words) : words_(words) {}
  Piece(const std::string& words) : words_(words) {}
  template <class Number>
    requires(std::integral<Number> || std::floating_point<Number>) &&
                (!std::same_as<Number, bool>) && (!std::same_as<Number, char>)
  Piece(Number number) : number_(static_cast<double>(number)), is_number_(true) {}

  void append_to(std::string& text) const;

 private:
  std::string_view words_;
  double number_ = 0;
  bool is_number_ = false;
};

/// Views of its pieces: lives as long as the call that it is an argument of.
using Pieces = std::initializer_list<Piece>;

/// The pieces one behind the other. Numbers are written as JavaScript writes them, with at most six
/// digits where they are not whole.
std::string text_of(Pieces pieces);

}  // namespace headscope
