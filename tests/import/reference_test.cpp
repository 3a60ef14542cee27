// The reference pages are what the tables say. Written anew with CATENA_WRITE_DOCS=1 in the environment.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "catena/import/mjcf.h"
#include "catena/import/sdf.h"
#include "catena/import/urdf.h"
#include "catena/import/usda.h"
#include "source_dir.h"

namespace catena {
namespace reference_test {

void expect_page(const Format& format, const std::string& file, const std::string& head) {
  const std::string path = source_dir() + "/docs/" + file, wanted = head + format.reference();
  if (std::getenv("CATENA_WRITE_DOCS") != nullptr) std::ofstream(path) << wanted;
  std::ifstream stream(path);
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_TRUE(page == wanted) << path << " is not what the table says; run the test with CATENA_WRITE_DOCS=1";
}

const std::string kFates =
    "*Used* means what the format means. *Approximated* and *ignored* say why; `catena check FILE` lists what became "
    "of every element and\n"
    "attribute of a file, and `--strict` refuses files of which physics was ignored.\n";

TEST(Reference, the_MJCF_page_is_what_the_table_says) {
  expect_page(mjcf_format(), "reference/mjcf.md", "# MJCF: what is done with every element and attribute\n\n" + kFates);
}

TEST(Reference, the_URDF_page_is_what_the_table_says) {
  expect_page(urdf_format(), "reference/urdf.md", "# URDF: what is done with every element and attribute\n\n" + kFates);
}

TEST(Reference, the_SDF_page_is_what_the_table_says) {
  expect_page(sdf_format(), "reference/sdf.md", "# SDF: what is done with every element and attribute\n\n" + kFates);
}

TEST(Reference, the_USD_page_is_what_the_table_says) {
  expect_page(usda_format(), "reference/usda.md",
              "# USD text: what is done with every kind of prim and property\n\n" + kFates);
}

}  // namespace reference_test
}  // namespace catena
