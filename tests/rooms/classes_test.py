"""No class or struct under src/ and include/ has more than 15 data members: one that has more holds several ideas.

Members are counted from the text: declarations at the depth of the class body that end in ';' and are no function, type, alias or friend;
`double a, b;` counts twice. Listed below are records of independent entries, which may have more."""

import pathlib
import re
import sys

MOST = 15

# Records of what a person writes or reads: each entry means something by itself, and nothing ties it to the others.
RECORDS = {
    "Control", "JointExtras", "Model", "BodySpec", "JointSpec", "StepReport", "MethodFlags", "SimulateFlags", "RenderFlags", "EnsembleFlags", "VelocityTuning", "LagrangeTuning", "ImpulseTuning",
}

STRUCT = re.compile(r"(?<!enum )\b(struct|class)\s+(?:\[\[\w+\]\]\s*)?(\w+)\s*(?:final\s*)?(?::(?!:)[^{;]*)?\{")
NOT_DATA = re.compile(r"^\s*(using|typedef|friend|static_assert|template|enum|struct|class|union|public|private|protected|static\s+constexpr|"
                      r"static|constexpr|inline|operator|explicit|virtual)\b")


def without_comments(text):
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    return re.sub(r"'(?:\\.|[^'\\])'", "' '", text)


def body_end(text, start):
    depth = 0
    for i in range(start, len(text)):
        if text[i] == "{":
            depth += 1
        elif text[i] == "}":
            depth -= 1
            if depth == 0:
                return i
    return len(text)


def flat(body):
    """The declarations at the depth of the body: nested braces and parentheses emptied."""
    out, braces, round_ = [], 0, 0
    for c in body:
        if c == "}":
            braces -= 1
        if c == ")":
            round_ -= 1
        if braces == 0 and round_ == 0:
            out.append(c)
        if c == "{":
            braces += 1
        if c == "(":
            round_ += 1
    return "".join(out)


def without_templates(text):
    previous = None
    while previous != text:
        previous, text = text, re.sub(r"<[^<>;]*>", "", text)
    return text


def members(body):
    count = 0
    text = flat(body)
    text = without_templates(re.sub(r"\b(public|private|protected)\s*:", "", text))
    # Bodies of functions end without ';'. Emptied they read "…() {}": such a piece goes up to the brace.
    text = re.sub(r"[^;{}]*\([^;{}]*\)[^;{}=]*\{\}\s*;?", "", text)
    text = re.sub(r"\b(struct|class|enum|union)\b[^;{}]*\{\}\s*;", "", text)
    for piece in text.split(";"):
        piece = piece.strip()
        if re.match(r"(struct|class|enum|union)\b[^{}]*\{\}\s*\w", piece):    # a type and a member of it
            count += 1 + piece.count(",")
            continue
        if not piece or NOT_DATA.match(piece):
            continue
        if "(" in piece.split("=")[0]:
            continue    # a function
        if not re.search(r"\w[\w>&*\]]*\s+[\w*&]+", piece.replace("{}", "")):
            continue
        count += 1 + piece.count(",")
    return count


def classes(text):
    text = without_comments(text)
    for match in STRUCT.finditer(text):
        start = match.end() - 1
        end = body_end(text, start)
        body = text[start + 1:end]
        yield match.group(2), members(body)


def faults(root):
    for file in sorted([*root.glob("src/**/*.h"), *root.glob("src/**/*.cpp"), *root.glob("include/**/*.h")]):
        for name, count in classes(file.read_text()):
            if count > MOST and name not in RECORDS:
                yield f"{file.relative_to(root)}: {name} has {count} data members"


def self_check():
    example = """
    class Example final : public Other {
     public:
      Example(int a, double b = 3);   // none, of course; no member
      int f() const { return a_; }
      static constexpr int kFew = 3;
      struct Inner { int x, y; };
      using T = int;
      enum class E { one, two };
      std::map<int, double> pairs, others;
      std::function<void(int)> call;
      double x = 0, y = 1;
      Inner inner{};
      struct Other { int z; } other_;
     private:
      int a_ = f(1, 2);
      std::array<double, 3> v_{1, 2, 3};
    };
    """
    found = dict(classes(example))
    assert found == {"Example": 9, "Inner": 2, "Other": 1}, found


def main():
    self_check()
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or f"no class has more than {MOST} data members")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
