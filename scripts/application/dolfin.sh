about="FEniCS with dolfin (Python): finite elements, whose code it compiles while it runs"
# More than 100 packages. Debian then takes hdf5.pc for that of the HDF5 with MPI; this project asks for hdf5-serial.
packages=(python3-dolfin)
prepare() {
    cat >poisson.py <<'PYTHON'
from dolfin import *

set_log_level(LogLevel.WARNING)
mesh = UnitSquareMesh(MPI.comm_world, 48, 48)
space = FunctionSpace(mesh, "CG", 1)
u, v = TrialFunction(space), TestFunction(space)
edge = DirichletBC(space, Constant(0), "on_boundary")
solution = Function(space)
solve(dot(grad(u), grad(v)) * dx == Constant(1) * v * dx, solution, edge,
      solver_parameters={"linear_solver": "cg", "preconditioner": "jacobi"})
total = assemble(solution * dx)
if MPI.rank(MPI.comm_world) == 0:
    print("integral %.10f" % total)
PYTHON
    export DIJITSO_CACHE_DIR=$PWD/cache
}
# Each rank binds a thread of its own to the second CPU for a moment, which the linter refuses.
linter=
words=(/usr/bin/python3 poisson.py)
results() { grep integral || true; }
