"""Functions, called with right arguments or with a wrong one."""

import os

import pulumi
import pulumi_page_guard as page_guard

zone_id = os.environ["ZONES"].split(",")[0]
limit = os.environ.get("LIMIT")

scripts = page_guard.get_scripts(zone_id=zone_id, status="all", limit=int(limit) if limit else None).scripts
settings = page_guard.get_settings_output(zone_id=zone_id)
pulumi.export("last", scripts[149].id)
pulumi.export("policy", page_guard.get_policies(zone_id=zone_id).policies[0].description)
pulumi.export("enabled", settings.enabled)
