// SPDX-License-Identifier: Apache-2.0

// Every call of gophercloud's container package. Prints "call<TAB>error".
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/container/v1/capsules"
)

var failed bool

func say(call string, err error) {
	if err != nil {
		failed = true
		fmt.Printf("%s\t%s\n", call, err)
		return
	}
	fmt.Printf("%s\t\n", call)
}

func connect(ctx context.Context) (*gophercloud.ServiceClient, error) {
	options, err := openstack.AuthOptionsFromEnv()
	if err != nil {
		return nil, err
	}
	provider, err := openstack.AuthenticatedClient(ctx, options)
	if err != nil {
		return nil, err
	}
	return openstack.NewContainerV1(provider, gophercloud.EndpointOpts{
		Region: os.Getenv("OS_REGION_NAME")})
}

func main() {
	ctx := context.Background()
	client, err := connect(ctx)
	say("NewContainerV1", err)
	if err != nil {
		os.Exit(1)
	}
	say("Get without a version", get(ctx, client))
	// The library would send its own name of the type with a version, which
	// the API knows under its short name alone, as the reference does.
	client.MoreHeaders = map[string]string{
		"OpenStack-API-Version": "container 1.32"}
	document, err := os.ReadFile(os.Args[1])
	say("read the template", err)
	template := new(capsules.Template)
	template.Bin = document
	made, err := capsules.Create(ctx, client, capsules.CreateOpts{
		TemplateOpts: template}).ExtractV132()
	say("Create", err)
	if err != nil {
		os.Exit(1)
	}
	shown, err := capsules.Get(ctx, client, made.UUID).ExtractV132()
	for end := time.Now().Add(2 * time.Minute); err == nil &&
		shown.Status != "Running" && time.Now().Before(end); {
		time.Sleep(time.Second)
		shown, err = capsules.Get(ctx, client, made.UUID).ExtractV132()
	}
	if err == nil && shown.Status != "Running" {
		err = fmt.Errorf("the capsule is %s: %s", shown.Status,
			shown.StatusReason)
	}
	say("Get", err)
	say("List", get(ctx, client))
	say("Delete", capsules.Delete(ctx, client, made.UUID).ExtractErr())
	if failed {
		os.Exit(1)
	}
}

func get(ctx context.Context, client *gophercloud.ServiceClient) error {
	pages, err := capsules.List(client, capsules.ListOpts{}).AllPages(ctx)
	if err != nil {
		return err
	}
	_, err = capsules.ExtractCapsules(pages)
	return err
}
