/** Limits of the connections of one sandbox to the network. */
export interface EgressLimits {
  readonly connectionsMax: number
  readonly headerBytesMax: number
  readonly headersMs: number
  readonly lookupMs: number
  readonly connectMs: number
  readonly idleMs: number
  readonly halfOpenMs: number
}

export const EGRESS_LIMITS: EgressLimits = {
  /** Package managers open about 15 at once, and an agent runs a few of them; more is a loop. */
  connectionsMax: 64,
  /** Node's own number: cookies and tokens fit, a flood does not. */
  headerBytesMax: 16 * 1024,
  /** The client is on this machine, so its headers are there at once. */
  headersMs: 10_000,
  /** A lookup asks two DNS servers, twice each. */
  lookupMs: 10_000,
  /** For each address; a public host answers within a round trip. */
  connectMs: 5_000,
  /** A server that packs a large repository is silent for minutes; an abandoned tunnel is silent for ever. */
  idleMs: 300_000,
  /** A tunnel with one finished side may be silent for this long: mostly its client has disconnected. */
  halfOpenMs: 60_000,
}
