about="NWChem (Fortran, Global Arrays): quantum chemistry, a molecule of water"
packages=(nwchem-openmpi)
prepare() {
    cat >water.nw <<'INPUT'
start water
memory 200 mb
geometry units angstrom
  O 0.0  0.0         0.0
  H 0.0  1.43042809 -1.10715266
  H 0.0 -1.43042809 -1.10715266
end
basis
  * library 6-31g
end
task scf gradient
task mp2 energy
INPUT
}
words=(nwchem.openmpi water.nw)
results() { grep -E 'energy +=? +-?[0-9]|^ +[123] [OH] ' || true; }
