// What a wire exchange is, as data. Nothing here knows a target, and nothing here is code: another implementation may
// read the cases and play them.
//
// `{s}` in any text is a session id of the case's own; `{name}` is what an earlier step saved under that name. Sessions that the
// server names itself are saved as `made` or `child`, so that a player can remove them.

/** Matches what it is part of: objects may have more, lists have exactly these. */
export type Pattern =
  | string
  | number
  | boolean
  | null
  | readonly Pattern[]
  | { readonly [name: string]: Pattern }
  /** Anything that is there. */
  | { readonly $any: true }
  /** A text that fits the regular expression. */
  | { readonly $match: string }
  /** Anything that is there; later steps have it as `{name}`. */
  | { readonly $save: string }
  /** A list with so many entries. */
  | { readonly $length: number }
  /** Nothing of that name. */
  | { readonly $absent: true }

export interface CaseRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE' | 'OPTIONS'
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: unknown
  /** A body that plays these steps; `body` may add fields. */
  readonly script?: readonly unknown[]
  /** A body that is sent as it is. */
  readonly raw?: string
  /** A body of so many bytes. */
  readonly bytes?: number
}

export interface AnswerPattern {
  readonly status: number
  readonly body?: Pattern
  readonly headers?: { readonly [name: string]: Pattern }
  readonly text?: string
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
  /** What a refused upgrade is answered. */
  readonly refused?: AnswerPattern
  /** The subprotocol that was agreed on. */
  readonly protocol?: string
}

export type CaseStep =
  | { readonly ask: CaseRequest; readonly answer: AnswerPattern }
  /** Asked now, looked at by `answered`. */
  | { readonly begin: string; readonly ask: CaseRequest }
  | { readonly answered: string; readonly answer: AnswerPattern }
  /** Opens an event stream and reads until an event of that type. Its frames are kept under the name. */
  | StreamStep
  /** The frames of one stream are, byte for byte, those of another from an index on; -3 is the last three. */
  | { readonly frames: string; readonly are: string; readonly from: number }
  | OpenStep
  | { readonly say: string; readonly message?: unknown; readonly raw?: string; readonly bytes?: number }
  /** Reads on until a message fits; those before it are passed over. */
  | { readonly hear: string; readonly message: Pattern }
  /** The types of everything heard so far. An event is named by its own type. */
  | { readonly heard: string; readonly types: readonly string[] }
  /** What the deltas heard so far make of the state; there must be no gap in them. */
  | { readonly state: string; readonly is: Pattern }
  | { readonly closed: string; readonly code: number }
  | { readonly hangUp: string }

export interface ConformanceCase {
  /** The rule of the protocol page that it proves, and what it shows. */
  readonly name: string
  /** The server it wants; default `open`. */
  readonly server?: CaseServerName
  /** The case shows a server that asks for no token. */
  readonly isOpenOnly?: true
  readonly steps: readonly CaseStep[]
}

/** Servers by what they are set up with: the same options on every target. */
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
