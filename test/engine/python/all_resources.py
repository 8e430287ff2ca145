"""Resources of each kind but WafMigration; EDITION changes their texts."""

import os

import pulumi
import pulumi_page_guard as page_guard

zone_id = os.environ["ZONE"]
edition = os.environ.get("EDITION", "")

watch = page_guard.PageGuardSettings(
    "watch", zone_id=zone_id, enabled=True, use_vendor_reporting_endpoint=edition == ""
)
waf = page_guard.ManagedWafEntrypoint(
    "waf",
    zone_id=zone_id,
    rules=[
        {
            "action": "execute",
            "expression": "true",
            "action_parameters": {"id": "11111111111111111111111111111111"},
            "description": f"managed{edition}",
        }
    ],
    foreign_rules="keep",
)
csp = page_guard.CspPolicy(
    "csp",
    zone_id=zone_id,
    description=f"checkout{edition}",
    action=page_guard.CspAction.LOG,
    expression='http.host eq "shop.example.com"',
    directives={
        "script-src": ["'self'", pulumi.Output.secret("https://hidden-cdn.example")],
        "object-src": ["'none'"],
    },
)
policies = page_guard.CspPolicySet(
    "policies",
    zone_id=zone_id,
    policies={
        # The names of policies must not change.
        "blog_Posts": {"action": "log", "expression": "true", "directives": {"script-src": ["'self'"]}},
        "news": page_guard.CspPolicySetEntryArgs(
            action="log",
            expression='http.host eq "news.example.com"',
            value=f"script-src 'self'; object-src 'none'; base-uri 'self'{edition}",
        ),
    },
    lint="off",
)
later = page_guard.CspPolicy(
    "later",
    zone_id=zone_id,
    # Unknown until the settings are applied.
    description=watch.initial.enabled.apply(lambda enabled: f"found {enabled}"),
    action="log",
    expression="true",
    value="script-src 'self'; object-src 'none'; base-uri 'self'",
    enabled=watch.enabled,
)

pulumi.export("blog", policies.policy_ids.apply(lambda ids: ids["blog_Posts"]))
pulumi.export("found", watch.initial.enabled)
pulumi.export("managed", waf.rules[0].action_parameters.id)
