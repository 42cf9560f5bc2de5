package app

import "github.com/hostlerhq/hostler/internal/edge/api"

// commands returns what all commands have in common.
func commands() api.Commands {
	return api.Commands{
		Subjects: []string{"name", "domain", "url", "email", "version", "command", "type", "action"},
		Refers:   map[string]string{"servers": "server", "storage_provider_id": "storageConfiguration"},
	}
}
