package hosts

// SweepNow clears beds of dead owners, as the first Up of a process does.
func SweepNow() error { return sweepBeds() }
