// Command terraform-provider-hostler is the Terraform provider for Hostler. Terraform starts it.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/hostlerhq/hostler/terraform/internal/provider"
)

// version is set when a release is built.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve a debugger: print what Terraform must be told to use this process")
	flag.Parse()
	o := providerserver.ServeOpts{Address: "registry.terraform.io/hostlerhq/hostler", Debug: *debug}
	err := providerserver.Serve(context.Background(), provider.New(version), o)
	if err != nil {
		log.Fatal(err)
	}
}
