about="HPC Challenge (C): HPL, FFT, random access, bandwidth"
packages=(hpcc)
ranks=4
prepare() { sed -e 's/^1000 .*Ns/500 Ns/' /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt; }
words=(hpcc)
results() { grep -E '^(PASSED|FAILED)|^Success|^CommWorldProcs|^HPL_N|_failed=|_Errors=' hpccoutf.txt || true; }
