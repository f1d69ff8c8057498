// The state that notifications of Codex build up.
import type { JsonObject } from '@bridle/events/json'
import type { RunnerEventOf } from '../../../protocol/protocol.ts'

export interface RpcNotification {
  readonly method: string
  readonly params: JsonObject
}

export interface OpenCall {
  readonly name: string
  readonly input: JsonObject
  /** Codex lets a command outlive its turn. */
  readonly background: boolean
}

export interface CodexAgent {
  readonly call: string | undefined
  turn: string | null
  summary: string | undefined
}

/** Facts from earlier notifications that later ones do not repeat. */
export type CodexTurnState = ReturnType<typeof newTurnState>

export const newTurnState = (thread: string) => ({
  thread,
  turn: null as string | null,
  /** The calls of the turn by id: announced, open, and the reasons of declined ones. */
  announcedCalls: new Set<string>(),
  openCalls: new Map<string, OpenCall>(),
  denials: new Map<string, string>(),
  approvalIds: new Set<string>(),
  /** Calls as the model made them, until their output: the only trace of a call for which Codex makes no item. */
  rawCalls: new Map<string, { name: string; input: JsonObject }>(),
  /** The text of complete messages, the current message, and whether a tool call separates them. */
  settledText: '',
  message: null as { id: string; text: string } | null,
  isParted: false,
  /** The last message: how the turn answers. */
  answer: undefined as string | undefined,
  streamedReasoning: new Set<string>(),
  retries: 0,
  failure: null as JsonObject | null,
  retriedError: null as JsonObject | null,
  /** Kept for the whole session: warnings that were reported, tokens by thread, agents by thread. */
  warnings: new Set<string>(),
  /** Warnings that arrived before the turn; the turn reports them. */
  earlyWarnings: [] as RunnerEventOf<'context.warning'>[],
  /** MCP servers that have neither started nor failed. */
  startingServers: new Set<string>(),
  tokens: new Map<string, number>(),
  agents: new Map<string, CodexAgent>(),
  /** The model that answers; empty = not known. */
  model: '',
})

/** The next turn, as yet without an id. */
export const nextTurnState = (state: CodexTurnState): CodexTurnState => {
  const { thread, warnings, earlyWarnings, startingServers, tokens, agents, model } = state
  const kept = { warnings, earlyWarnings, startingServers, tokens, agents, model }
  return { ...newTurnState(thread), ...kept }
}
