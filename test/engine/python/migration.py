"""The one-way migration of a zone, as the step wants it."""

import os

import pulumi
import pulumi_page_guard as page_guard

zone_id, other_zone_id = os.environ["ZONES"].split(",")
step = os.environ.get("STEP", "")


def migrate(name, opts=None, **changed):
    arguments = {"zone_id": zone_id, "stage": "finished", "confirm": zone_id, **changed}
    return page_guard.WafMigration(name, **arguments, opts=opts)


page_guard.PageGuardSettings("watch", zone_id=zone_id, enabled=True)
if step == "":
    waf = migrate("waf")
    page_guard.ManagedWafEntrypoint("entrypoint", zone_id=zone_id, rules=waf.configuration.rules)
elif step == "not confirmed":
    migrate("waf", confirm=other_zone_id)
elif step == "renamed":
    migrate("renamed")
elif step == "renamed with an alias":
    migrate("moved", pulumi.ResourceOptions(aliases=[pulumi.Alias(name="waf")]))
elif step == "other zone":
    migrate("waf", zone_id=other_zone_id, confirm=other_zone_id)
elif step == "allowed to forget":
    migrate("moved", allow_forget=True)
