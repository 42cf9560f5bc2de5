package oauth

import (
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/markup"
)

type pageData struct {
	Title, Step, Error, Text              string
	Client, ClientID, Organization, Email string
	Redirect, Forgot                      string
	Continue, Action, Token, UserCode     string
	// Scopes describe what is allowed; Idle is how many more there are, for what Hostler does not have.
	Scopes []string
	Idle   int
	// Changes reports whether more than looking is allowed; Root whether it amounts to root on servers.
	Changes, Root bool
	// Where are the names of the organizations that the person is in.
	Where      []string
	status     int
	formAction string
}

// head loads the dashboard's fonts.
func head() markup.Node {
	return markup.E("link", markup.Attr("rel", "stylesheet"), markup.Attr("href", "/fonts.css"))
}

func (d pageData) body() markup.Node {
	step := markup.Node{}
	switch d.Step {
	case "sign-in":
		step = d.signIn()
	case "consent":
		step = d.consent()
	case "code":
		step = markup.E("form", markup.Attr("method", "get"), markup.Attr("action", pathDevice),
			label("user_code", "Code shown on your device"),
			input("user_code", markup.Attr("autocapitalize", "characters"), markup.Attr("autocomplete", "off"), required()),
			actions(button("Continue")))
	case "done":
		step = markup.E("p", markup.Attr("role", "status"), markup.Text(d.Text))
	}
	return markup.Join(markup.E("header",
		markup.E("img", markup.Attr("src", "/mark.svg"), markup.Attr("alt", "Hostler"), markup.Attr("width", "44"), markup.Attr("height", "44"))),
		markup.E("main", markup.E("h1", markup.Text(d.Title)),
			markup.If(d.Error != "", markup.E("p", markup.Attr("class", "error"), markup.Attr("role", "alert"), markup.Text(d.Error))), step))
}

func (d pageData) signIn() markup.Node {
	why := markup.Text("Sign in to continue.")
	if d.Client != "" {
		why = markup.Join(named(d.Client), markup.Text(" wants to access Hostler on your behalf. Sign in to continue."))
	}
	return markup.Join(markup.E("p", why), markup.E("form", markup.Attr("method", "post"), markup.Attr("action", pathSignIn),
		hidden("continue", d.Continue),
		label("email", "Email"),
		input("email", markup.Attr("type", "email"), markup.Attr("autocomplete", "username"), required(), markup.Attr("value", d.Email)),
		label("password", "Password"),
		input("password", markup.Attr("type", "password"), markup.Attr("autocomplete", "current-password"), required()),
		label("code", "Authentication code (if two-factor authentication is on)"),
		input("code", markup.Attr("inputmode", "numeric"), markup.Attr("autocomplete", "one-time-code")),
		actions(button("Sign in"))),
		markup.If(d.Forgot != "", markup.E("p", markup.E("a", markup.Attr("href", d.Forgot), markup.Attr("target", "_blank"), markup.Attr("rel", "noopener"),
			markup.Text("Forgot your password?")))))
}

// consent asks one thing in one sentence, with what it is made of behind it. What a person has to compare (the account, the code, the address) is never behind
// it.
func (d pageData) consent() markup.Node {
	return markup.Join(
		markup.E("p", named(d.Client), markup.Text(" ("+d.by()+") "+d.wants())),
		markup.If(d.Root, markup.E("p", markup.Attr("class", "warn"), markup.Text("This amounts to root on servers."))),
		d.details(),
		markup.E("p", d.after()),
		markup.E("form", markup.Attr("method", "post"), markup.Attr("action", d.Action),
			hidden("token", d.Token),
			markup.If(d.UserCode != "", hidden("user_code", d.UserCode)),
			actions(decide("allow", "", "Allow"), decide("deny", "other", "Deny")),
			markup.E("p", markup.Attr("class", "muted"), markup.Text("Signed in as "+d.Email+". "), decide(decisionSwitch, "link", "Use another account"))))
}

// by says who registered the program.
func (d pageData) by() string {
	if d.Organization == "" {
		return "part of Hostler"
	}
	return "registered by " + d.Organization
}

// wants says what the scopes come to, and where.
func (d pageData) wants() string {
	switch {
	case len(d.Scopes) == 0:
		return "asks for nothing that Hostler has: it learns that you allowed it, and can do nothing."
	case d.Changes:
		return "wants to see and change things in " + d.where() + ", as far as your role allows."
	}
	return "wants to see things, and change nothing, in " + d.where() + ", as far as your role allows."
}

// where names a single organization, and counts several.
func (d pageData) where() string {
	switch len(d.Where) {
	case 0:
		return "every organization that you join"
	case 1:
		return d.Where[0]
	}
	return fmt.Sprintf("all %d organizations that you are in", len(d.Where))
}

// after says where an answer leads.
func (d pageData) after() markup.Node {
	if d.Redirect == "" {
		return markup.Join(markup.Text("Allow access only if your device shows the code "), strong(d.UserCode), markup.Text("."))
	}
	return markup.Join(markup.Text("You will be redirected to "), strong(d.Redirect), markup.Text("."))
}

func (d pageData) details() markup.Node {
	item := func(s string) markup.Node { return markup.E("li", markup.E("bdi", markup.Text(s))) }
	idle := fmt.Sprintf("%d more scopes are for features that Hostler does not have. They allow nothing.", d.Idle)
	if d.Idle == 1 {
		idle = "One more scope is for a feature that Hostler does not have. It allows nothing."
	}
	return markup.E("details", markup.E("summary", markup.Text("Details")),
		markup.If(len(d.Scopes) > 0, markup.Join(markup.E("h2", markup.Text("What it can do")), markup.E("ul", markup.Each(d.Scopes, item)))),
		markup.If(d.Idle > 0, markup.E("p", markup.Attr("class", "muted"), markup.Text(idle))),
		markup.If(len(d.Where) > 0, markup.Join(markup.E("h2", markup.Text("Where")), markup.E("ul", markup.Each(d.Where, item)),
			markup.E("p", markup.Attr("class", "muted"), markup.Text("Your role in each decides, now and later, and so it is in organizations that you join.")))),
		markup.E("h2", markup.Text("Who asks")),
		markup.E("p", markup.Text(d.Client+", "+d.by()+". Client ID: "), markup.Code(d.ClientID)),
		markup.E("h2", markup.Text("Until when")),
		markup.E("p", markup.Text("Until it is not used for a while, or you revoke it in the dashboard: Your account, Authorized applications.")))
}

// named is a name that others chose: what is written from right to left stays inside it.
func named(text string) markup.Node { return markup.E("strong", markup.E("bdi", markup.Text(text))) }

func actions(buttons ...markup.Node) markup.Node {
	return markup.E("div", markup.Attr("class", "actions"), markup.Join(buttons...))
}

func button(text string) markup.Node {
	return markup.E("button", markup.Attr("type", "submit"), markup.Text(text))
}

func decide(decision, look, text string) markup.Node {
	return markup.E("button", markup.Attr("type", "submit"), markup.Attr("name", "decision"), markup.Attr("value", decision), markup.Attr("class", look),
		markup.Text(text))
}

func strong(text string) markup.Node { return markup.E("strong", markup.Text(text)) }

func label(of, text string) markup.Node {
	return markup.E("label", markup.Attr("for", of), markup.Text(text))
}

func required() markup.Attribute { return markup.Attr("required", "") }

func hidden(name, value string) markup.Node {
	return markup.E("input", markup.Attr("type", "hidden"), markup.Attr("name", name), markup.Attr("value", value))
}

// input is a field whose name is its id, for its label.
func input(name string, more ...markup.Part) markup.Node {
	return markup.E("input", append([]markup.Part{markup.Attr("id", name), markup.Attr("name", name)}, more...)...)
}
