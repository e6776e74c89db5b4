about="LAMMPS (C++): molecular dynamics"
packages=(lammps lammps-examples)
prepare() { sed -e 's/^run.*/run 500/' /usr/share/lammps/examples/melt/in.melt >in.melt; }
words=(lmp -in in.melt -log none)
results() { sed -n '/^ *Step/,/^Loop/p' | grep -v '^Loop' || true; }
