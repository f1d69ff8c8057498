// A plan is the prompt of a durable agent: the steps that it takes. Both agents follow the same plans, so that a run that was
// killed can be compared with one that was not.

export interface Plan {
  /** The session and the turn, which name the gates and the effects of this run. */
  readonly place: string
  readonly steps: readonly PlanStep[]
  /** How long each effect and each piece of text takes; absent: no time. */
  readonly paceMs?: number
  /** The middleware of a model agent acts, too. */
  readonly isGuided?: boolean
}

export interface PlanStep {
  readonly say: string
  /** Calls that are made at once, after the text. */
  readonly calls?: readonly CallName[]
  /** A step of a durable function. */
  readonly step?: string
  /** A question of a durable function that is no tool call. */
  readonly ask?: string
  readonly sleepMs?: number
  readonly waitFor?: string
  /** A value that a durable function proposes for its memory, after it has said what it knows. */
  readonly propose?: string
  /** A durable function says how long the first file of its prompt is, and how it begins. */
  readonly reads?: true
  /** The tokens that the model says it has read. With as many as its window has, room is made before the next step. */
  readonly tokens?: number
}

/** A tool and a number, which makes the call unique in its turn. */
export type CallName = `${ToolName}${number}`
export type ToolName = keyof typeof toolEffects

export const toolEffects = {
  read: 'pure',
  put: 'idempotent',
  pay: 'unsafe',
  deploy: 'unsafe',
  lapse: 'unsafe',
  grant: 'idempotent',
  help: 'idempotent',
} as const

/** `deploy` waits for an approval, `lapse` for one that nobody gives in time. */
export const approvalOf = (tool: ToolName): boolean | { readonly expiresMs: number } =>
  tool === 'lapse' ? { expiresMs: LAPSE_MS } : tool === 'deploy'

/** Longer than all sessions of a world take to their points, with a restart: the approval is open before the kill and expires after it. */
const LAPSE_MS = 12_000

/** The place of the child that does the work of `help`. */
export const childPlace = (place: string): string => `${place}-help`

export const toolOf = (call: CallName): ToolName => call.replace(/\d+$/, '') as ToolName

/** The tokens that the model of these tests can read at once. */
export const WINDOW_TOKENS = 4_000

export const parsePlan = (prompt: string): Plan => JSON.parse(prompt) as Plan

export type CallEnd = 'ok' | 'failed'

/** The words with which an agent says how a call ended. */
export const outcomeText = (call: string, end: CallEnd): string => `[${call}=${end}]`
