about="h5py (Python): a file of HDF5 that all ranks write, collectively and alone"
packages=(python3-h5py-mpi python3-mpi4py)
prepare() {
    cat >file.py <<'PYTHON'
from mpi4py import MPI
import h5py
import numpy

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
with h5py.File("values.h5", "w", driver="mpio", comm=comm) as file:
    values = file.create_dataset("values", (size, 100000), "d")
    with values.collective:
        values[rank] = numpy.arange(100000) * (rank + 1)
    alone = file.create_dataset("alone", (size,), "i")
    alone[rank] = rank * rank
    file.attrs["ranks"] = size
comm.Barrier()
with h5py.File("values.h5", "r", driver="mpio", comm=comm) as file:
    other = (rank + 1) % size
    read = comm.gather((file["values"][other].sum(), file["alone"][other], file.attrs["ranks"]))
if rank == 0:
    print("read", read)
PYTHON
}
words=(/usr/bin/python3 file.py)
results() { cat; }
