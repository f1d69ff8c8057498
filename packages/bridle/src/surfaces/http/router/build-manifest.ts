// Builds on the machine of the server, where the target has one.

export interface BuildManifest {
  readonly id: string
  readonly target: string
  /** ISO 8601. */
  readonly createdAt: string
  /** Relative to where the project lies. */
  readonly folder: string
  /** Null = a project that is built by a configuration of its own. */
  readonly agents: readonly string[] | null
  /** As the bundler says it. */
  readonly size: string
}
