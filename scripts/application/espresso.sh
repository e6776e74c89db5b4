about="Quantum ESPRESSO (Fortran): plane waves, a molecule of hydrogen"
packages=(quantum-espresso quantum-espresso-data)
prepare() {
    gzip -dc /usr/share/doc/quantum-espresso/examples/CPV/EXX-wf-example/H_HSCV_PBE-1.0.UPF.gz >H.UPF
    cat >h2.in <<'INPUT'
&CONTROL
  calculation = 'scf', prefix = 'h2', pseudo_dir = '.', outdir = './out', tprnfor = .true.
/
&SYSTEM
  ibrav = 1, celldm(1) = 14, nat = 2, ntyp = 1, ecutwfc = 40
/
&ELECTRONS
  conv_thr = 1e-8
/
ATOMIC_SPECIES
 H 1.008 H.UPF
ATOMIC_POSITIONS bohr
 H 0.0 0.0 0.0
 H 0.0 0.0 1.4
K_POINTS gamma
INPUT
}
words=(pw.x -in h2.in)
results() { grep -E '^! |estimated scf|highest|Total force|convergence has|JOB DONE' || true; }
