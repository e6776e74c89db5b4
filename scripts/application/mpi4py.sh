about="mpi4py (Python): objects as messages, communicators"
packages=(python3-mpi4py)
ranks=4
prepare() {
    cat >sums.py <<'PYTHON'
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
half = comm.Split(rank % 2, rank)
got = comm.sendrecv(list(range(1000 * rank)), dest=(rank + 1) % size, source=(rank - 1) % size)
total = half.allreduce(len(got))
if rank == 0:
    print("sum", total)
PYTHON
}
words=(/usr/bin/python3 sums.py)
results() { cat; }
