// A wire exchange as data. Cases contain no code and do not depend on a target, so other implementations can play them.
//
// `{s}` is the session id of the case, and `{name}` the value an earlier step saved under that name. Save the ids of sessions
// that the server names as `made` or `child`, so that players can delete them.

/** Objects may have additional fields; lists must match entry by entry. */
export type Pattern =
  | string
  | number
  | boolean
  | null
  | readonly Pattern[]
  | { readonly [name: string]: Pattern }
  /** Any value, but the field must be present. */
  | { readonly $any: true }
  /** Text that matches a regular expression. */
  | { readonly $match: string }
  /** Any value; saved for later steps as `{name}`. */
  | { readonly $save: string }
  /** A list of this length. */
  | { readonly $length: number }
  /** The field must be absent. */
  | { readonly $absent: true }

export interface CaseRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS'
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: unknown
  /** Prompts the scripted agent with these steps; `body` adds fields. */
  readonly script?: readonly unknown[]
  /** Sent unchanged. */
  readonly raw?: string
  /** Generates a body of about this size. */
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
  readonly protocol?: string
}

export type CaseStep =
  | { readonly ask: CaseRequest; readonly answer: AnswerPattern }
  /** Sends the request now; a later `answered` step checks the response. */
  | { readonly begin: string; readonly ask: CaseRequest }
  | { readonly answered: string; readonly answer: AnswerPattern }
  /** Opens an event stream and reads until an event of type `until`. Later steps refer to its frames by name. */
  | StreamStep
  /** The frames of one stream, from an index on, equal those of another byte for byte; -3 means the last three. */
  | { readonly frames: string; readonly are: string; readonly from: number }
  | OpenStep
  | { readonly say: string; readonly message?: unknown; readonly raw?: string; readonly bytes?: number }
  /** Reads until a message matches, skipping others. */
  | { readonly hear: string; readonly message: Pattern }
  /** Types of all messages so far; an event counts as its own type. */
  | { readonly heard: string; readonly types: readonly string[] }
  /** State after all deltas so far, which must have no gap. */
  | { readonly state: string; readonly is: Pattern }
  | { readonly closed: string; readonly code: number }
  | { readonly hangUp: string }

export interface ConformanceCase {
  /** Rule id in brackets, then the behaviour. */
  readonly name: string
  /** Default: `open`. */
  readonly server?: CaseServerName
  /** Runs only against servers that require no token. */
  readonly isOpenOnly?: true
  readonly steps: readonly CaseStep[]
}

/** The same on every target. */
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
