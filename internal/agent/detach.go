package agent

// Execute does a detached run, inside its unit.
func (a *Agent) Execute(id string) error { return nil }

// RecoverRun is Recover for one run.
func (a *Agent) RecoverRun(id string) error { return a.recoverRun(id) }

// Revert puts a Change back whose time is up.
func (a *Agent) Revert(id string) error { return nil }
