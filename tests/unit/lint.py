#!/usr/bin/python3
"""lint.py: scripts/lint finds the tests that a README names and that are not there, and takes nothing else for one."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

SOURCE = """
TEST(Plain, Holds) {}
TEST_F(Fixture, HoldsAsWell) {}
TEST_P(Many, HoldForAll) {}
INSTANTIATE_TEST_SUITE_P(Sorts, Many, testing::Values(1, 2));
TYPED_TEST(
    Typed, HoldsForTypes) {}
"""
CMAKE = """
ovni_test(unit_program source.cpp)
foreach(part first second)
    add_test(NAME script.${part} COMMAND ${part}.sh)
endforeach()
add_test(NAME ranks_${count} COMMAND ranks.sh)
"""
THERE = """
| promise | test |
|---|---|
| words in any form | `Plain.Holds`, `Fixture.HoldsAs*`, `Sorts/Many.HoldForAll`, `Many` |
| a suite need not be told twice | `Typed.HoldsForTypes`, `Plain.*`, `.Holds`, `../scripts/soak` |
| tests of CTest | `unit_*`, `unit_program.*`, `script.first`, `script.second`, `ranks_4` |

`std::vector`, `file.cpp`, `README.md`, `ovni.h`, `.row`, `MPI_Send` are none.

```
`Nobody.Knows`
```
"""
MISSING = ("Plain.Breaks", "Nobody.*", "Sorts/Plain.Holds", ".HoldsAsWell", "script.third", "unit_other*", "Unknown")


def lint(readme):
    """The status and the errors for a tree of that README."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        (root / "scripts").mkdir()
        for script in ("lint", "named_tests.py"):
            shutil.copy(SCRIPTS / script, root / "scripts")
        for name, text in (("tests/source.cpp", SOURCE), ("tests/CMakeLists.txt", CMAKE), ("src/README.md", readme),
                           ("README.md", ""), ("CMakeLists.txt", "")):
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text)
        done = subprocess.run([root / "scripts/lint", "promises"], capture_output=True, text=True)
        return done.returncode, [line for line in done.stdout.splitlines() if not line.startswith("lint: ")]


def check(found, expected, what):
    if found != expected:
        sys.exit(f"failed: {what}: {found}, not {expected}")


check(lint(THERE), (0, []), "tests that are there")
for name in MISSING:
    row = f"| promise | test |\n|---|---|\n| holds | `Plain.Holds`, `{name}` |\n"
    told = "Plain" + name if name.startswith(".") else name
    check(lint(row), (1, [f"src/README.md:3: there is no test '{told}'"]), name)
check(lint("A promise that `Nobody.Keeps`."), (1, ["src/README.md:1: there is no test 'Nobody.Keeps'"]), "outside of tables")
