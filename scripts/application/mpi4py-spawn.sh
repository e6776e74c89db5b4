. "$parts/mpi4py-futures.sh"
about="mpi4py.futures (Python): a pool of workers that it spawns"
ranks=1 spawned=2
words=(/usr/bin/python3 squares.py)
