about="factorisation and solution of linear systems (Fortran)"
packages=(scalapack-mpi-test)
ranks=4
tests=/usr/lib/$(uname -m)-linux-gnu/scalapack/openmpi-tests
prepare() { cp "$tests"/LU.dat .; }
words=("$tests/xdlu")
results() { sed -E 's/ +[0-9.]+ +[0-9.E+*-]+( +[0-9.]+)? (PASSED|FAILED)/ \2/' | grep -E 'PASSED|FAILED|completed' || true; }
