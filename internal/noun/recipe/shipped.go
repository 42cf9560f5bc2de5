package recipe

import (
	"context"
	"embed"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
)

//go:embed shipped/*.sh
var shippedScripts embed.FS

// Shipped is a recipe that comes with the program. It can be read and run, and not changed.
type Shipped struct {
	// ID stays with a recipe for good: runs name it.
	ID int64
	// File is the script's name, without .sh.
	File string
	Name string
	// User is whom the script runs as.
	User string
	// Info says what it does.
	Info string
}

// ShippedRecipes returns the recipes that come with the program, by their ids. One that is taken out leaves its id unused.
func ShippedRecipes() []Shipped {
	return []Shipped{
		{1, "disk-usage", "Show disk usage", "root", "Lists file systems, inodes and the largest directories. Changes nothing."},
		{
			2, "free-disk-space", "Free disk space", "root",
			"Removes downloaded packages, packages that nothing depends on, compressed logs older than 30 days, and the journal above 500 MB.",
		},
		{
			3, "security-updates", "Install security updates", "root",
			"Installs pending security updates now instead of with the next weekly run, and reports whether a reboot is needed.",
		},
		{
			4, "upgrade-packages", "Upgrade all packages", "root",
			"Upgrades every package within the release, including PHP and databases, whose services restart. Changed settings stay.",
		},
		{5, "add-swap", "Add 2 GB of swap", "root", "Adds a swap file at /swapfile if there is no swap yet and at least 4 GB are free."},
		{
			6, "who-can-log-in", "Show who can log in", "root",
			"Lists accounts with a shell, the fingerprints of their keys, members of sudo and the newest logins. Changes nothing.",
		},
		{
			7, "listening-ports", "Show listening ports", "root",
			"Lists listening programs with their addresses, and the firewall rules in the kernel. Changes nothing.",
		},
		{
			8, "failed-services", "Show failed services", "root",
			"Lists units that failed with the end of their journal, and the errors of the last day. Changes nothing.",
		},
		{9, "image-tools", "Install ImageMagick", "root", "Installs ImageMagick, and its extension for every version of PHP on the server."},
		{10, "composer-cache", "Empty Composer and npm caches", "forge", "Empties the download caches of the account that sites share."},
	}
}

// Script returns the text of the recipe.
func (s Shipped) Script() string {
	text, err := shippedScripts.ReadFile("shipped/" + s.File + ".sh")
	if err != nil {
		panic(fmt.Sprintf("the program has no script %s", s.File)) // a test reads all of them
	}
	return string(text)
}

// ShippedPath is a recipe that comes with the program, and where the caller may run it.
type ShippedPath struct {
	access.Actor
	Shipped Shipped
	// Grants are what the caller may do in each of the organizations where they may see recipes.
	Grants []access.Grant
}

// Require asks the token for permissions and, where they include running, for a role somewhere that has them. What the roles on the chosen servers
// permit is asked for each of them.
func (p ShippedPath) Require(permissions ...access.Permission) error {
	if err := p.Actor.Require(permissions...); err != nil || !slices.Contains(permissions, access.RecipeManage) {
		return err
	}
	for _, g := range p.Grants {
		if g.Role.Has(permissions...) || slices.ContainsFunc(g.Teams, func(t access.TeamGrant) bool { return t.Role.Has(permissions...) }) {
			return nil
		}
	}
	return &access.Denied{Missing: access.RecipeManage}
}

// Shipped loads the shipped recipe that a path names.
func (s *Store) Shipped(ctx context.Context, actor access.Actor, path api.PathValues) (ShippedPath, error) {
	id, err := path.ID("forgeRecipe")
	if err != nil {
		return ShippedPath{}, err
	}
	all := ShippedRecipes()
	i := slices.IndexFunc(all, func(r Shipped) bool { return r.ID == id })
	if i < 0 {
		return ShippedPath{}, access.ErrNotFound
	}
	everything := actor // what the token lacks is refused when the operation asks for it; it hides nothing
	everything.Scopes = access.SetOf(access.All()...)
	grants, err := s.Organizations.Grants(ctx, everything, access.RecipeView)
	for i := range grants {
		grants[i].Actor = actor
	}
	return ShippedPath{Actor: actor, Shipped: all[i], Grants: grants}, err
}
