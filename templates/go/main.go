package main

import (
	"example.com/pulumi-page-guard/sdk/go/pageguard"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		zoneID := pulumi.String(config.Require(ctx, "zoneId"))
		_, err := pageguard.NewPageGuardSettings(ctx, "monitor", &pageguard.PageGuardSettingsArgs{
			ZoneId:  zoneID,
			Enabled: pulumi.Bool(true),
		})
		if err != nil {
			return err
		}
		checkout, err := pageguard.NewCspPolicy(ctx, "checkout", &pageguard.CspPolicyArgs{
			ZoneId:      zoneID,
			Description: pulumi.String("Scripts of the checkout"),
			Action:      pageguard.CspActionLog,
			Expression:  pulumi.String(`http.host eq "shop.example.com"`),
			Directives: pulumi.StringArrayMap{
				"script-src": pulumi.ToStringArray([]string{"'self'", "https://js.payments.example"}),
				"object-src": pulumi.ToStringArray([]string{"'none'"}),
			},
		})
		if err != nil {
			return err
		}
		ctx.Export("policyId", checkout.PolicyId)
		return nil
	})
}
