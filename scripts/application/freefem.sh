about="FreeFem++ (C++): finite elements, messages of its language"
packages=(freefem++)
prepare() {
    cat >poisson.edp <<'INPUT'
mesh Th = square(60, 60);
fespace Vh(Th, P2);
Vh u, v;
solve poisson(u, v, solver = UMFPACK) = int2d(Th)(dx(u) * dx(v) + dy(u) * dy(v)) - int2d(Th)((1 + mpirank) * v)
    + on(1, 2, 3, 4, u = 0);
real part = int2d(Th)(u), whole = 0;
for (int turn = 0; turn < 50; turn++) {
    int[int] sent(3), got(3);
    sent = mpirank + turn;
    mpiRequest request;
    Irecv(processor((mpirank + mpisize - 1) % mpisize, mpiCommWorld, request), got);
    Send(processor((mpirank + 1) % mpisize), sent);
    mpiWait(request);
    part += got.sum;
}
mpiAllReduce(part, whole, mpiCommWorld, mpiSUM);
cout.precision(10);
if (mpirank == 0) cout << "ranks " << mpisize << ", result " << whole << endl;
INPUT
}
words=(FreeFem++-mpi -nw -v 0 poisson.edp)
results() { grep '^ranks' || true; }
