about="PETSc with petsc4py (Python): a sparse system by conjugate gradients"
packages=(python3-petsc4py)
prepare() {
    cat >poisson.py <<'PYTHON'
from petsc4py import PETSc

n = 64
A = PETSc.Mat().createAIJ((n * n, n * n), nnz=5)
begin, end = A.getOwnershipRange()
for row in range(begin, end):
    i, j = divmod(row, n)
    A[row, row] = 4
    for column, is_there in ((row - n, i > 0), (row + n, i < n - 1), (row - 1, j > 0), (row + 1, j < n - 1)):
        if is_there:
            A[row, column] = -1
A.assemble()
x, b = A.createVecs()
b.set(1)
solver = PETSc.KSP().create()
solver.setOperators(A)
solver.setType("cg")
solver.getPC().setType("bjacobi")
solver.solve(b, x)
PETSc.Sys.Print("iterations %d, norm %.10g, sum %.10g" % (solver.getIterationNumber(), x.norm(), x.sum()))
PYTHON
}
words=(/usr/bin/python3 poisson.py)
results() { grep iterations || true; }
