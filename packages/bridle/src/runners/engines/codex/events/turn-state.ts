// The state that notifications of Codex build up.
import type { JsonObject } from '../../../../kernel/json.ts'

/** A JSON-RPC notification. */
export interface RpcNotification {
  readonly method: string
  readonly params: JsonObject
}

/** A call that has been announced and has not ended. */
export interface OpenCall {
  readonly name: string
  readonly input: JsonObject
  /** Codex lets a command outlive its turn. */
  readonly background: boolean
}

/** Facts from earlier notifications that later ones do not repeat. */
export interface CodexTurnState {
  readonly thread: string
  turn: string | null
  /** The calls of the turn by id: announced, open, and the reasons of declined ones. */
  readonly announcedCalls: Set<string>
  readonly openCalls: Map<string, OpenCall>
  readonly denials: Map<string, string>
  /** The ids of approval requests. */
  readonly approvalIds: Set<string>
  /** Calls as the model made them, until their output: the only trace of a call for which Codex makes no item. */
  readonly rawCalls: Map<string, { name: string; input: JsonObject }>
  /** The text of complete messages, the current message, and whether a tool call separates them. */
  settledText: string
  message: { id: string; text: string } | null
  isParted: boolean
  /** The last message: how the turn answers. */
  answer: string | undefined
  readonly streamedReasoning: Set<string>
  retries: number
  failure: JsonObject | null
  retriedError: JsonObject | null
  /** Kept for the whole session: warnings that were reported, tokens by thread, agents by thread. */
  readonly warnings: Set<string>
  readonly tokens: Map<string, number>
  readonly agents: Map<string, CodexAgent>
  /** The model that answers; empty = not known. */
  readonly model: string
}

export interface CodexAgent {
  /** The call that started the agent. */
  readonly call: string | undefined
  /** The current turn of the agent. */
  turn: string | null
  summary: string | undefined
}

export const newTurnState = (thread: string): CodexTurnState => ({
  thread,
  turn: null,
  announcedCalls: new Set(),
  openCalls: new Map(),
  denials: new Map(),
  approvalIds: new Set(),
  rawCalls: new Map(),
  settledText: '',
  message: null,
  isParted: false,
  answer: undefined,
  streamedReasoning: new Set(),
  retries: 0,
  failure: null,
  retriedError: null,
  warnings: new Set(),
  tokens: new Map(),
  agents: new Map(),
  model: '',
})

/** The next turn, as yet without an id. */
export const nextTurnState = ({ thread, warnings, tokens, agents, model }: CodexTurnState): CodexTurnState => ({
  ...newTurnState(thread),
  warnings,
  tokens,
  agents,
  model,
})
