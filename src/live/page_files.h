// The files of the live page that this program carries: none, if the page was not built before it
// (cmake/PageFiles.cmake).
#pragma once

#include <span>
#include <string_view>

namespace hapax::live {

struct PageFile {
  std::string_view path;  // index.html, assets/…
  std::string_view bytes;
};
std::span<const PageFile> page_files();

}  // namespace hapax::live
