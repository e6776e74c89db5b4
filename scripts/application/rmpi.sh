about="R with Rmpi: reductions, messages, objects"
packages=(r-cran-rmpi)
prepare() {
    cat >job.R <<'R'
suppressMessages(library(Rmpi))
rank <- mpi.comm.rank(0)
size <- mpi.comm.size(0)
sum <- mpi.allreduce(rank + 0.5, type = 2, op = "sum", comm = 0)
most <- mpi.allreduce(as.integer(rank), type = 1, op = "max", comm = 0)
last <- mpi.reduce(as.integer(rank + 1), type = 1, op = "prod", dest = 0, comm = 0)
shared <- mpi.bcast(if (rank == 0) c(3, 1, 4) else double(3), type = 2, rank = 0, comm = 0)
all <- mpi.allgather(as.double(rank), type = 2, rdata = double(size), comm = 0)
part <- mpi.scatter(if (rank == 0) as.integer(1:size) else integer(0), type = 1, rdata = integer(1), root = 0, comm = 0)
names <- mpi.allgather.Robj(list(rank = rank, text = letters[rank + 1]), comm = 0)
mpi.isend.Robj(matrix(rank + 1:6, 2), (rank + 1) %% size, 7, comm = 0)
got <- mpi.recv.Robj((rank - 1) %% size, 7, comm = 0)
mpi.waitall(1)
invisible(mpi.barrier(0))
mine <- paste(c(sum, most, if (rank == 0) last, shared, all, part, unlist(names), got), collapse = " ")
told <- mpi.gather.Robj(mine, root = 0, comm = 0)
if (rank == 0) print(told)
invisible(mpi.finalize())
quit(save = "no")
R
}
words=(Rscript job.R)
results() { cat; }
