// A wire exchange as data. Cases know no target and contain no code, so that another implementation can read and play them.
//
// `{s}` in any text is the session id of the case; `{name}` is the value that an earlier step saved under that name. Sessions that
// the server names itself are saved as `made` or `child`, so that a player can remove them.

/** A pattern for JSON. Objects may have more fields than the pattern; lists have exactly its entries. */
export type Pattern =
  | string
  | number
  | boolean
  | null
  | readonly Pattern[]
  | { readonly [name: string]: Pattern }
  /** Any value, but not an absent one. */
  | { readonly $any: true }
  /** A text that matches the regular expression. */
  | { readonly $match: string }
  /** Any value; later steps use it as `{name}`. */
  | { readonly $save: string }
  /** A list with this many entries. */
  | { readonly $length: number }
  /** An absent field. */
  | { readonly $absent: true }

export interface CaseRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS'
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: unknown
  /** The prompt of a scripted run with these steps; `body` may add fields. */
  readonly script?: readonly unknown[]
  /** A body that is sent unchanged. */
  readonly raw?: string
  /** A body of about this many bytes. */
  readonly bytes?: number
}

export interface AnswerPattern {
  readonly status: number
  readonly body?: Pattern
  readonly headers?: { readonly [name: string]: Pattern }
  /** The whole body; `$save` keeps it for later steps. */
  readonly text?: string | { readonly $save: string }
}

export interface StreamStep {
  readonly stream: string
  readonly ask: CaseRequest
  readonly until: string
  readonly types?: readonly string[]
  readonly last?: Pattern
}

export interface OpenStep {
  readonly open: string
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly protocols?: readonly string[]
  readonly refused?: AnswerPattern
  /** The subprotocol that the server selects. */
  readonly protocol?: string
}

export type CaseStep =
  | { readonly ask: CaseRequest; readonly answer: AnswerPattern }
  /** Sends the request now; a later `answered` checks its response. */
  | { readonly begin: string; readonly ask: CaseRequest }
  | { readonly answered: string; readonly answer: AnswerPattern }
  /** Opens an event stream and reads until an event of that type. Later steps refer to its frames by the name. */
  | StreamStep
  /** The frames of one stream equal, byte for byte, those of another from an index on; -3 means the last three. */
  | { readonly frames: string; readonly are: string; readonly from: number }
  | OpenStep
  | { readonly say: string; readonly message?: unknown; readonly raw?: string; readonly bytes?: number }
  /** Reads until a message matches, and skips those before it. */
  | { readonly hear: string; readonly message: Pattern }
  /** The types of all messages so far. An event counts with its own type. */
  | { readonly heard: string; readonly types: readonly string[] }
  /** The state after all deltas so far; the deltas must have no gap. */
  | { readonly state: string; readonly is: Pattern }
  | { readonly closed: string; readonly code: number }
  | { readonly hangUp: string }

export interface ConformanceCase {
  /** The rule of the protocol page, and the behaviour that the case shows. */
  readonly name: string
  /** The settings of the server; default `open`. */
  readonly server?: CaseServerName
  /** Only for a server that asks for no token. */
  readonly isOpenOnly?: true
  readonly steps: readonly CaseStep[]
}

/** The settings of each server: the same options on every target. */
export const serverSettingsByName = {
  open: {},
  token: { authToken: 'right' },
  tenants: { tenantRequired: true },
  scoped: {
    tokens: [
      { token: 'reader', scopes: ['observe'], tenants: ['acme', 'umbrella'] },
      { token: 'worker', scopes: ['observe', 'operate'] },
      { token: 'ann', user: 'ann' },
    ],
  },
  limited: { rateLimit: { windowMs: 3_600_000, maxRequests: 3 } },
  small: { maxBodyBytes: 1_000 },
  beating: { heartbeatMs: 30, deadAfterMs: 150 },
} as const
export type CaseServerName = keyof typeof serverSettingsByName
