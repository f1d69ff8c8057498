// What a session has heard of codex so far.
import type { JsonObject } from '../../../../kernel/json.ts'

/** A JSON-RPC notification. */
export interface Notice {
  readonly method: string
  readonly params: JsonObject
}

/** A call that has been announced and has not ended. */
export interface Call {
  readonly name: string
  readonly input: JsonObject
  /** Codex lets a command outlive its turn. */
  readonly background: boolean
}

/** What a session has heard so far that a later notice does not repeat. */
export interface Seen {
  readonly thread: string
  turn: string | null
  /** Of the turn: its calls by id, those under way, and why one was declined. */
  readonly told: Set<string>
  readonly open: Map<string, Call>
  readonly denials: Map<string, string>
  /** Ids under which an approval was asked for. */
  readonly questions: Set<string>
  /** Calls as the model made them, until their output: the only trace of one that codex makes no item of. */
  readonly raw: Map<string, { name: string; input: JsonObject }>
  /** Text of the messages that are whole, the one under way, and whether a tool has parted them. */
  settled: string
  message: { id: string; text: string } | null
  parted: boolean
  /** The last message: how the turn answers. */
  answer: string | undefined
  readonly thought: Set<string>
  retries: number
  failure: JsonObject | null
  retried: JsonObject | null
  /** Of the session: warnings said, tokens by thread, agents by their thread. */
  readonly warned: Set<string>
  readonly tokens: Map<string, number>
  readonly agents: Map<string, Agent>
  /** The model that answers; empty = not known. */
  readonly model: string
}

export interface Agent {
  /** That began it. */
  readonly call: string | undefined
  /** The turn it is in. */
  turn: string | null
  summary: string | undefined
}

export const seenNothing = (thread: string): Seen => ({
  thread,
  turn: null,
  told: new Set(),
  open: new Map(),
  denials: new Map(),
  questions: new Set(),
  raw: new Map(),
  settled: '',
  message: null,
  parted: false,
  answer: undefined,
  thought: new Set(),
  retries: 0,
  failure: null,
  retried: null,
  warned: new Set(),
  tokens: new Map(),
  agents: new Map(),
  model: '',
})

/** The next turn, as yet without an id. */
export const newTurn = ({ thread, warned, tokens, agents, model }: Seen): Seen => ({
  ...seenNothing(thread),
  warned,
  tokens,
  agents,
  model,
})
