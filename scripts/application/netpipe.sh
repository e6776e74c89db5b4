about="NetPIPE (C): messages of all sizes, whose bytes it checks"
packages=(netpipe-openmpi)
prepare() { :; }
words=(NPopenmpi -i -u 4096 -p 0)
# How often it sends each size depends on its speed, and it writes all to stderr.
results() { sed -nE 's/^ *[0-9]+: +([0-9]+) bytes .* (Integrity check .*)$/\1 \2/p' errors; }
