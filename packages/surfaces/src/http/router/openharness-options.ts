/** OpenHarness engine settings. */
export interface OpenHarnessOptions {
  /** How long a response waits for its run. Default: 50 s. */
  readonly waitMs?: number
  /** Keys of a restricted `environment_state` to keep unmodified. Default: `os` and `screen_hash`. */
  readonly restrictedKeys?: readonly string[]
  /**
   * Hosts to fetch `uri` attachments from: `files.example.com`, `*.example.com` (not on Cloudflare), or an origin. Default:
   * none.
   */
  readonly fetch?: readonly string[]
}
