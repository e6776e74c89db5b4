about="Meep (C++ and Python): waves of light in a waveguide"
packages=(python3-meep-openmpi)
prepare() {
    cat >guide.py <<'PYTHON'
import meep as mp

cell = mp.Vector3(16, 8, 0)
guide = mp.Block(mp.Vector3(mp.inf, 1, mp.inf), center=mp.Vector3(), material=mp.Medium(epsilon=12))
source = mp.Source(mp.ContinuousSource(frequency=0.15), component=mp.Ez, center=mp.Vector3(-7, 0))
sim = mp.Simulation(cell_size=cell, boundary_layers=[mp.PML(1.0)], geometry=[guide], sources=[source], resolution=10)
sim.run(until=100)
field = sim.get_field_point(mp.Ez, mp.Vector3(2, 0))
energy = sim.field_energy_in_box(mp.Volume(center=mp.Vector3(), size=cell))
print("field %.10f, energy %.10f" % (field.real, energy))
PYTHON
}
words=(/usr/bin/python3 guide.py)
results() { grep -E '^field|timesteps' || true; }
