package oauth

import "github.com/hostlerhq/hostler/internal/ground/markup"

type pageData struct {
	Title, Step, Error, Text              string
	Client, Organization, Email, Redirect string
	Continue, Action, Token, UserCode     string
	Scopes                                []string
	status                                int
	formAction                            string
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
			markup.E("button", markup.Attr("type", "submit"), markup.Text("Continue")))
	case "done":
		step = markup.E("p", markup.Text(d.Text))
	}
	return markup.E("main", markup.E("h1", markup.Text(d.Title)),
		markup.If(d.Error != "", markup.E("p", markup.Attr("class", "error"), markup.Attr("role", "alert"), markup.Text(d.Error))), step)
}

func (d pageData) signIn() markup.Node {
	why := markup.Text("Sign in to continue.")
	if d.Client != "" {
		why = markup.Join(strong(d.Client), markup.Text(" wants to access Hostler on your behalf. Sign in to continue."))
	}
	return markup.Join(markup.E("p", why), markup.E("form", markup.Attr("method", "post"), markup.Attr("action", "/oauth/sign-in"),
		hidden("continue", d.Continue),
		label("email", "Email"),
		input("email", markup.Attr("type", "email"), markup.Attr("autocomplete", "username"), required(), markup.Attr("value", d.Email)),
		label("password", "Password"),
		input("password", markup.Attr("type", "password"), markup.Attr("autocomplete", "current-password"), required()),
		label("code", "Authentication code (if two-factor authentication is on)"),
		input("code", markup.Attr("inputmode", "numeric"), markup.Attr("autocomplete", "one-time-code")),
		markup.E("button", markup.Attr("type", "submit"), markup.Text("Sign in"))))
}

func (d pageData) consent() markup.Node {
	by := ""
	if d.Organization != "" {
		by = " by " + d.Organization
	}
	where := markup.Join(markup.Text("Allow access only if your device shows the code "), strong(d.UserCode), markup.Text("."))
	if d.Redirect != "" {
		where = markup.Join(markup.Text("You will be redirected to "), strong(d.Redirect), markup.Text("."))
	}
	return markup.Join(
		markup.E("p", strong(d.Client), markup.Text(by+" requests access to Hostler as "+d.Email+
			". In each of your organizations, as far as your role allows, it can:")),
		markup.E("ul", markup.Each(d.Scopes, func(s string) markup.Node { return markup.E("li", markup.Text(s)) })),
		markup.E("p", where),
		markup.E("form", markup.Attr("method", "post"), markup.Attr("action", d.Action),
			hidden("token", d.Token),
			markup.If(d.UserCode != "", hidden("user_code", d.UserCode)),
			markup.E("button", markup.Attr("type", "submit"), markup.Attr("name", "decision"), markup.Attr("value", "allow"), markup.Text("Allow")),
			markup.E("button", markup.Attr("type", "submit"), markup.Attr("name", "decision"), markup.Attr("value", "deny"), markup.Attr("class", "other"),
				markup.Text("Deny"))))
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
