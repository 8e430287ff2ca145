// Loads parts of the SDK, and the SDK's own libraries. Most of this is for the plugin, which serves programs in other languages.
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";

export { version as sdkVersion } from "@pulumi/pulumi/version";

export type StructValues = Readonly<Record<string, unknown>>;

/** Returns a `require` for the SDK's own copies of libraries: another copy would not accept the SDK's service definitions. */
export function requireOfSdk(): NodeJS.Require {
  const { createRequire } = require("node:module") as typeof import("node:module");
  return createRequire(require.resolve("@pulumi/pulumi/package.json"));
}

export function loadLibrary() {
  const sdk = requireOfSdk();
  return {
    grpc: sdk("@grpc/grpc-js") as typeof import("@grpc/grpc-js"),
    ...(sdk("./proto/provider_grpc_pb") as typeof import("@pulumi/pulumi/proto/provider_grpc_pb")),
    ...(sdk("./proto/provider_pb") as typeof import("@pulumi/pulumi/proto/provider_pb")),
    ...(sdk("./proto/plugin_pb") as typeof import("@pulumi/pulumi/proto/plugin_pb")),
    ...(sdk("./proto/status_pb") as typeof import("@pulumi/pulumi/proto/status_pb")),
    ...(sdk(
      "google-protobuf/google/protobuf/any_pb",
    ) as typeof import("google-protobuf/google/protobuf/any_pb")),
    ...(sdk(
      "google-protobuf/google/protobuf/empty_pb",
    ) as typeof import("google-protobuf/google/protobuf/empty_pb")),
    ...(sdk(
      "google-protobuf/google/protobuf/struct_pb",
    ) as typeof import("google-protobuf/google/protobuf/struct_pb")),
  };
}

export type Library = ReturnType<typeof loadLibrary>;

/** Loads the library plus the part that registers resources. `loadLibrary` leaves that part out, because few runs need it. */
export function loadRegistrations() {
  const sdk = requireOfSdk();
  return {
    ...loadLibrary(),
    ...(sdk("./proto/resource_grpc_pb") as typeof import("@pulumi/pulumi/proto/resource_grpc_pb")),
    ...(sdk("./proto/resource_pb") as typeof import("@pulumi/pulumi/proto/resource_pb")),
  };
}

export type Registrations = ReturnType<typeof loadRegistrations>;

export function fromStruct(struct: Struct | undefined): StructValues {
  return struct?.toJavaScript() ?? {};
}

export function toStruct(library: Library, values: StructValues): Struct {
  return library.Struct.fromJavaScript({ ...values } as Parameters<typeof Struct.fromJavaScript>[0]);
}
