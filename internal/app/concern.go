package app

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/noun/attention"
)

// concerns lists what needs attention about the panel itself.
func (a *App) concerns(ctx context.Context) ([]concern.Item, error) {
	newer, err := a.newer(ctx)
	if err != nil {
		return nil, err
	}
	var known ownBackups
	if a.Config.BackupStorage != 0 {
		if known, err = readOwnBackups(ctx, a.DB); err != nil {
			return nil, err
		}
	}
	var out []concern.Item
	for _, c := range []struct{ kind, text string }{
		{attention.PanelDiskFull, a.littleRoom()},
		{attention.PanelCertificate, a.front.problem()},
		{attention.PanelOpen, a.Config.exposed()},
		{attention.PanelBackup, known.trouble(a.Config, a.DB.Clock.Now())},
		{attention.PanelUpdate, newer},
	} {
		if c.text != "" {
			out = append(out, concern.Item{Kind: c.kind, Subject: "Hostler", Text: c.text})
		}
	}
	return out, nil
}

// newer says that there is a newer release, "" if none is known.
func (a *App) newer(ctx context.Context) (string, error) {
	if !a.Config.looksForReleases() {
		return "", nil
	}
	trouble, err := a.releases.Trouble(ctx)
	if err != nil {
		return "", err
	}
	if trouble != "" {
		return "Newer releases may be missed: " + trouble + ".", nil
	}
	version, changes, err := a.releases.Newer(ctx)
	if err != nil || version == "" {
		return "", err
	}
	text := fmt.Sprintf("Hostler %s is available, and this is %s. To install it, run on the panel's machine: hostler update", version, a.Config.Version)
	if changes != "" {
		text += ". What has changed: " + changes
	}
	return text, nil
}
