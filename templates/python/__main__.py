import pulumi
import pulumi_page_guard as page_guard

zone_id = pulumi.Config().require("zoneId")

page_guard.PageGuardSettings("monitor", zone_id=zone_id, enabled=True)

checkout = page_guard.CspPolicy(
    "checkout",
    zone_id=zone_id,
    description="Scripts of the checkout",
    action="log",
    expression='http.host eq "shop.example.com"',
    directives={
        "script-src": ["'self'", "https://js.payments.example"],
        "object-src": ["'none'"],
    },
)

pulumi.export("policyId", checkout.policy_id)
