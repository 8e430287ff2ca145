/** Prefix of the persisted type of every resource of this package. */
export const typePrefix = "pulumi-nodejs:dynamic/page-guard:";
