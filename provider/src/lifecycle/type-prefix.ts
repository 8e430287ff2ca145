/** Prefix of the persisted type of every dynamic resource of this package. */
export const typePrefix = "pulumi-nodejs:dynamic/page-guard:";

/** The same of the resources of its plugin. */
export const pluginTypePrefix = "page-guard:index:";
