"""A policy that warns, one that is refused, and a function that is called with a wrong argument."""

import os

import pulumi
import pulumi_page_guard as page_guard

zone_id = os.environ["ZONES"].split(",")[0]
mistake = os.environ.get("MISTAKE")

loose = page_guard.CspPolicy(
    "loose",
    zone_id=zone_id,
    description="shop",
    action="log",
    expression="true",
    value="script-src 'unsafe-eval'",
)
if mistake == "policy":
    page_guard.CspPolicySet(
        "wrong",
        zone_id=zone_id,
        policies={"news": {"action": "block", "expression": "true", "value": "script-src 'self'"}},
        opts=pulumi.ResourceOptions(depends_on=[loose]),
    )

scripts = page_guard.get_scripts(zone_id=zone_id, status="all", limit=0 if mistake == "limit" else None).scripts
settings = page_guard.get_settings_output(zone_id=zone_id)
pulumi.export("last", scripts[149].id)
pulumi.export("policy", page_guard.get_policies(zone_id=zone_id).policies[0].description)
pulumi.export("enabled", settings.enabled)
