"""usage: foreign.py LIBRARY    regions of a program that loads its MPI by itself, amid a region"""
import ctypes
import sys

import ovni

with ovni.region("before"):
    ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
    # A function that is looked up in the library itself is not the tracer's.
    mpi = ctypes.CDLL(None)
    mpi.MPI_Init(None, None)
with ovni.region("within"):
    mpi.MPI_Barrier(ctypes.c_int(0x44000000))  # MPI_COMM_WORLD of MPICH
mpi.MPI_Finalize()
with ovni.region("behind"):
    print("done")
