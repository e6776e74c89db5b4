"""Tests that READMEs name, and tests that there are, both from the sources: for scripts/lint.

A README names a test in backticks: a case as Suite.Name, as Prefix/Suite.Name, or as .Name behind another of the suite;
and by any word but a path in a column `test` of a table. Stars stand for anything.
"""
import fnmatch
import re

CASE = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\s*\)")
INSTANCE = re.compile(r"\bINSTANTIATE_(?:TYPED_)?TEST_SUITE_P\(\s*(\w+),\s*(\w+)")
FOREACH = re.compile(r"\bforeach\(\s*(\w+)((?:\s+[\w-]+)+)\s*\)(.*?)\bendforeach\(", re.DOTALL)
VARIABLE = re.compile(r"\$\{\w+\}")
# Calls that make tests in files of CMake, and the names that these have.
MAKERS = ((re.compile(r"\badd_test\(\s*NAME\s+(\S+)"), ("{}",)),
          (re.compile(r"\bovni_test\(\s*([^\s)]+)"), ("{}", "{}.*")),
          (re.compile(r"\bother_mpi_tests\(\s*(\w+)"), ("{}_*.*",)),
          (re.compile(r"\bTEST_PREFIX\s+([\w.]+)\s"), ("{}*",)))

WORD = re.compile(r"`([^`]+)`")
NAMES_CASE = re.compile(r"(?:\w+/)?[A-Z*][\w*]*\.[A-Z*][\w*/]*")
NAMES_CASE_OF_SAME_SUITE = re.compile(r"\.[A-Z][\w*]*")
NAMES_ANY_TEST = re.compile(r"[\w*]+(?:\.[\w*]+)*(?:/\*)?")
TEST_COLUMN = re.compile(r"tests?\b")


def cases(text):
    """The suites and cases of GoogleTest in one source, with and without prefixes."""
    pairs = CASE.findall(text)
    found = {suite for suite, _ in pairs} | {f"{suite}.{name}" for suite, name in pairs}
    return found | {f"{prefix}/{name}" for prefix, suite in INSTANCE.findall(text) for name in found
                    if name.split(".")[0] == suite}


def cmake_tests(text):
    """Names of CTest in one file of CMake; stars for what is not known."""
    text = FOREACH.sub(lambda loop: "".join(loop[3].replace("${" + loop[1] + "}", value)
                                            for value in loop[2].split()), text)
    names = [(VARIABLE.sub("*", name), forms) for maker, forms in MAKERS for name in maker.findall(text)]
    return {form.format(name) for name, forms in names if name.strip("*") for form in forms}


def known_tests(files):
    """Those of the pairs of a file's name and its text."""
    found = set()
    for name, text in files:
        found |= cmake_tests(text) if name.endswith((".cmake", "CMakeLists.txt")) else cases(text)
    return found


def is_known(name, known):
    return name in known or any(fnmatch.fnmatchcase(test, name) or fnmatch.fnmatchcase(name, test) for test in known)


def test_columns(header):
    return {place for place, title in enumerate(header.split("|")) if TEST_COLUMN.match(title.strip())}


def words_of(line, columns):
    """The words in backticks, and whether they stand where only tests do."""
    cells = line.split("|") if line.startswith("|") else [line]
    return [(word, place in columns) for place, cell in enumerate(cells) for word in WORD.findall(cell)]


def named_tests(lines):
    """The tests that a README names, with the numbers of their lines."""
    is_code, columns, suite = False, set(), ""
    for number, (line, following) in enumerate(zip(lines, lines[1:] + [""]), 1):
        if line.startswith("```"):
            is_code = not is_code
        if following.startswith("|---"):
            columns = test_columns(line)
        elif not line.startswith("|"):
            columns = set()
        for word, is_test in words_of(line, columns) if not is_code else ():
            if suite and NAMES_CASE_OF_SAME_SUITE.fullmatch(word):
                word = suite + word
            if NAMES_CASE.fullmatch(word):
                suite = word.split(".")[0]
            elif not (is_test and NAMES_ANY_TEST.fullmatch(word)):
                continue
            yield number, word
