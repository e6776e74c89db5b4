about="R with Rmpi: slaves that it spawns"
packages=(r-cran-rmpi)
ranks=1 spawned=2
prepare() {
    cat >slaves.R <<'R'
suppressMessages(library(Rmpi))
mpi.spawn.Rslaves(nslaves = 2, quiet = TRUE)
print(unlist(mpi.remote.exec(mpi.comm.rank() * 10)))
print(unlist(mpi.applyLB(1:20, function(n) n * n)))
print(sum(unlist(mpi.parLapply(1:1000, sqrt))))
mpi.close.Rslaves()
mpi.quit()
R
}
words=(Rscript slaves.R)
results() { cat; }
