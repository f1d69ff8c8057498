// A build on the server's machine, as `bridle build` records it.

export interface BuildManifest {
  readonly id: string
  readonly target: string
  /** ISO 8601. */
  readonly createdAt: string
  /** Relative to the folder of the project. */
  readonly folder: string
  /** Null = the project has a configuration of its own. */
  readonly agents: readonly string[] | null
  /** The bundler's text, such as `840 KiB / gzip: 190 KiB`. */
  readonly size: string
}
