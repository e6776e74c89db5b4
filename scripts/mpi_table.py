"""The table of MPI functions, src/model/mpi_functions.txt, as objects; for the generators of code."""
import pathlib
import re

ROW = re.compile(r"([123])\s+(\w+)\s+(M\S\S?)\s+(\S+)\s+((?:\w+ )?)(\w+)\((.*)\)$")

# Families without a Fortran binding, or with one that the bindings make of other routines.
NOT_IN_FORTRAN = {"conversion", "tool"}


class Parameter:
    def __init__(self, declared):
        self.declared = declared
        match = re.match(r"(.*?)(\w+)((?:\[\w*\])*)$", declared)
        self.type, self.name, self.array = match.group(1).strip(), match.group(2), match.group(3)

    # Of a CHARACTER argument Fortran passes the length behind all arguments.
    def is_text(self):
        return self.type.removeprefix("const ").startswith("char")


class Function:
    def __init__(self, line):
        match = ROW.match(line)
        if not match:
            raise ValueError(f"not a row of the table: {line}")
        tier, self.family, first, second, result, self.name, declared = match.groups()
        self.tier = int(tier)
        self.number = int(second) if first == "MX" else 0
        self.enter, self.leave = (first, second) if not self.number else ("MX[", "MX]")
        self.result = result.strip() or "int"
        self.declared = declared
        self.variadic = declared.endswith("...")
        names = [] if declared == "void" else [d.strip() for d in declared.split(",")]
        self.parameters = [Parameter(d) for d in names if d != "..."]

    def arguments(self):
        return ", ".join(p.name for p in self.parameters)

    def in_fortran(self):
        return self.family not in NOT_IN_FORTRAN

    # What the Fortran routine passes by address, without ierror.
    def fortran_arguments(self):
        return [p.name for p in self.parameters if p.name not in ("argc",) and p.type != "char***"]

    # How many lengths of CHARACTER arguments follow them.
    def fortran_lengths(self):
        return sum(p.is_text() for p in self.parameters if p.type != "char***")


def read_table(path):
    lines = [line.strip() for line in pathlib.Path(path).read_text().splitlines()]
    functions = [Function(line) for line in lines if line and not line.startswith("#")]
    further = [f.number for f in functions if f.number]
    if further != list(range(1, len(further) + 1)):
        raise ValueError("further functions are not numbered 1, 2, 3, ...")
    if any(f.number for f in functions[:len(functions) - len(further)]):
        raise ValueError("a further function stands before one with codes of its own")
    return functions
