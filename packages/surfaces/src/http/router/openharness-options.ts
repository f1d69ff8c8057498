// The operator's settings of the engine of OpenHarness.

/** Settings of the engine that OpenHarness shells ask. */
export interface OpenHarnessOptions {
  /** How long an answer waits for its run; default 50 s. */
  readonly waitMs?: number
  /** Keys of a restricted `environment_state` that are kept as they are; default `os` and `screen_hash`. */
  readonly restrictedKeys?: readonly string[]
  /**
   * Hosts from which the server fetches attachments that come as a `uri`: `files.example.com` (https), `*.example.com` (not on Cloudflare),
   * or an origin such as `http://files.example.com:8080`. Default: none. Private addresses are never asked.
   */
  readonly fetch?: readonly string[]
}
