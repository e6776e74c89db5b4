about="mpi4py.futures (Python): a pool of workers in the ranks of the job"
packages=(python3-mpi4py)
ranks=3
prepare() {
    cat >squares.py <<'PYTHON'
from mpi4py.futures import MPIPoolExecutor

def square(n):
    return n * n

if __name__ == "__main__":
    with MPIPoolExecutor(max_workers=2) as pool:
        print("squares", list(pool.map(square, range(200))))
        print("sum", sum(pool.map(square, range(10000), chunksize=50)))
PYTHON
}
words=(/usr/bin/python3 -m mpi4py.futures squares.py)
results() { cat; }
