// Problems from JSON: every kind, and what is said of wrong ones.
#include "catena/scene/problem_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/model/error.h"

namespace catena {
namespace problem_file_test {

using ::testing::HasSubstr;
using namespace solve;

std::string refusal(std::string_view text) {
  try {
    parse_problem(text, "p.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ProblemFile, EveryKind) {
  const Problem lcp = parse_problem(R"({"kind": "lcp", "n": 2, "M": {"rows": 2, "cols": 2, "dense": [[2, 1], [1, 2]]},
                                        "q": [-5, -6]})",
                                    "p")
                          .problem;
  EXPECT_EQ(to_dense(lcp.A)(0, 1), 1);
  EXPECT_EQ(lcp.blocks[1].law, Law::complementary);
  const Problem mixed =
      parse_problem(R"({"kind": "mlcp", "M": [[2, 1], [1, 3]], "q": [1, 2], "free": [1]})", "p").problem;
  EXPECT_EQ(mixed.blocks[1].law, Law::free);
  const Problem box = parse_problem(R"({"kind": "box", "M": [[1]], "q": [1], "lo": [null], "hi": [3]})", "p").problem;
  EXPECT_EQ(box.blocks[0].upper, 3);
  EXPECT_EQ(box.blocks[0].lower, -std::numeric_limits<double>::infinity());
  const Problem friction =
      parse_problem(R"({"kind": "friction", "dimension": 3, "contacts": 1, "mu": [0.5], "q": [1, 2, 3],
      "W": {"rows": 3, "cols": 3, "triplets": [[0, 0, 1], [1, 1, 2], [2, 2, 3], [2, 2, 1]]}})",
                    "p")
          .problem;
  EXPECT_EQ(friction.blocks[0].law, Law::cone);
  EXPECT_EQ(to_dense(friction.A)(2, 2), 4);
  const Problem blocks =
      parse_problem(R"({"kind": "blocks", "M": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]], "q": [1,2,3,4],
      "blocks": [{"law": "complementary"}, {"law": "bounded by", "parent": 0, "friction": 0.3},
                 {"law": "cone", "rows": 2, "friction": [0.2, 0.4]}]})",
                    "p")
          .problem;
  EXPECT_EQ(blocks.blocks[1].parent, 0);
  EXPECT_EQ(blocks.blocks[2].friction[1], 0.4);
}

TEST(ProblemFile, SaysWhereAndWhat) {
  EXPECT_THAT(refusal("{\"kind\": \"lcp\",\n \"q\": [1, }"), HasSubstr("p.json:2:11: not JSON"));
  EXPECT_THAT(refusal(R"({"kind": "lcp", "M": [[1]], "q": [1e999]})"), HasSubstr("p.json"));
  EXPECT_THAT(refusal(R"({"M": [[1]], "q": [1]})"), HasSubstr("\"kind\" is missing"));
  EXPECT_THAT(refusal(R"({"kind": "lpc", "M": [[1]], "q": [1]})"),
              HasSubstr("there are lcp, mlcp, box, friction, blocks"));
  EXPECT_THAT(refusal(R"({"kind": "lcp", "M": [[1, 2]], "q": [1]})"), HasSubstr("/M/0: 2 numbers; 1 are needed"));
  EXPECT_THAT(refusal(R"({"kind": "lcp", "M": [["a"]], "q": [1]})"), HasSubstr("/M/0/0: a number is needed here"));
  EXPECT_THAT(refusal(R"({"kind": "lcp", "M": {"rows": 1, "cols": 1, "triplets": [[0, 7, 1]]}, "q": [1]})"),
              HasSubstr("/M/triplets/0/1: 7 is outside 0 … 0"));
  EXPECT_THAT(refusal(R"({"kind": "lcp", "M": {"rows": 1000000000, "cols": 1, "triplets": []}, "q": [1]})"),
              HasSubstr("the vector q has 1 numbers"));
  EXPECT_THAT(refusal(R"({"kind": "friction", "dimension": 4, "W": [[1]], "q": [1], "mu": [1]})"),
              HasSubstr("it is 2 or 3"));
  EXPECT_THAT(refusal(R"({"kind": "friction", "dimension": 2, "W": [[1]], "q": [1], "mu": [1]})"),
              HasSubstr("make 2 rows"));
  EXPECT_THAT(refusal(R"({"kind": "box", "M": [[1]], "q": [1], "lo": [3], "hi": [2]})"),
              HasSubstr("below the lower bound"));
  EXPECT_THAT(refusal(R"({"kind": "blocks", "M": [[1]], "q": [1], "blocks": [{"law": "cube"}]})"),
              HasSubstr("is no law"));
  EXPECT_THAT(refusal(R"({"kind": "blocks", "M": [[1]], "q": [1], "blocks": [{"law": "free", "rows": 2147483646}]})"),
              HasSubstr("rows"));
  EXPECT_THAT(refusal("[]"), HasSubstr("an object is needed"));
  EXPECT_THROW(load_problem("/nowhere/at/all.json"), InputError);
}

}  // namespace problem_file_test
}  // namespace catena
