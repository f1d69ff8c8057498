// Middleware: a part of a model agent that is written once and used by many. Everything but the loop itself is made of it.
import type { Json, JsonObject } from '@bridle/events/json'
import type { Payloads, ToolEffect } from '@bridle/events/schemas'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import type { AgentDefinition } from '../agent.ts'
import type { ModelMessage, ModelRequest, Thought } from '../model/model.ts'
import type { ModelChoice } from '../model-agent.ts'
import type { SessionMemory, UsageReport } from '../session.ts'
import type { Tool, ToolEventType } from '../tools/tool.ts'
import type { ToolSource } from '../tools/tool-source.ts'

/**
 * A part of a model agent. The first four functions are points of a turn: what they return is in the log in one write with a
 * `hook_event`, so that it is not decided twice. The last two surround one request, and run again where the request does.
 */
export interface Middleware {
  /** The name, which every `hook_event` has. */
  readonly name: string
  /** Tools that come with the middleware. */
  readonly tools?: readonly (Tool | ToolSource)[]
  /** Agents that do the calls of tools of the middleware, each call in a session of its own. */
  readonly agents?: readonly ChildAgent[]
  /** Called once per turn, before the model is asked. The notes are put before the model. */
  start?(turn: MiddlewareTurn): readonly Note[] | undefined | Promise<readonly Note[] | undefined>
  /** Called for each call of the model, ahead of the schema, the policy and the log. It may change the arguments, or refuse the call. */
  before?(call: MiddlewareCall): CallChange | undefined | Promise<CallChange | undefined>
  /** Called with the result of a call that went well, ahead of the log. A value that it returns replaces the result. */
  after?(call: MiddlewareCall, result: Json): Json | undefined | Promise<Json | undefined>
  /** Called when the model ends its turn. It accepts the answer, sends the model back with a text, or fails the turn. */
  answer?(turn: AnswerTurn, text: string): AnswerReview | undefined | Promise<AnswerReview | undefined>
  /** An answer that the function `answer` could not look at, since it threw or took too long, fails the turn. Default: it is accepted. */
  readonly mustReview?: boolean
  /** Surrounds one request to the model. `next` makes the request. */
  model?(request: ModelRequest, next: (request: ModelRequest) => Promise<Thought>): Promise<Thought>
  /** Surrounds the making of a summary. `next` makes it. */
  compact?(request: SummaryRequest, next: (request: SummaryRequest) => Promise<Summary>): Promise<Summary>
}

/** An agent that does the calls of a tool in sessions of its own. `subagent()` makes it. */
export interface ChildAgent {
  /** The name of the agent below the one that asks it. */
  readonly name: string
  /** The agent. */
  readonly agent: AgentDefinition
  /** The name of the tool. */
  readonly tool: string
  /** How many sessions may be above the one that does the call, the first one included. */
  readonly maxDepth: number
  /** Such calls of one run at the same time. */
  readonly maxAtOnce: number
}

/** A turn as middleware sees it. */
export interface MiddlewareTurn {
  /** The id of the session. */
  readonly sessionId: string
  /** The id of the turn. */
  readonly turnId: string
  /** The prompt that began the turn. */
  readonly prompt: string
  /** The input of the turn as it came. */
  readonly input: Json
  /** Small values that outlive the turn. Changes are in the write that holds the decision of this function. */
  readonly memory: SessionMemory
  /** Aborts when the function takes longer than a tool may, and when the run is cancelled or has ended. */
  readonly signal: AbortSignal
  /** The conversation of this branch so far. */
  messages(): Promise<readonly HarnessMessage[]>
  /** Adds an event to the write that holds the decision of this function; the payload is checked. */
  emit<T extends ToolEventType | 'reflection'>(type: T, payload: Payloads[T]): void
  /** Adds tokens and cost that the function has used to the same write. */
  usage(spent: UsageReport): void
  /** Asks a model and resolves to the text of its answer. The tokens are counted as those of the agent. Rejects with a ModelError. */
  ask(question: ModelQuestion): Promise<string>
}

/** A turn whose answer is looked at. */
export interface AnswerTurn extends MiddlewareTurn {
  /** How often the answer can still be sent back in this turn: at most twice, over all middleware. */
  readonly againLeft: number
}

/** A question of middleware to a model, apart from the conversation. */
export interface ModelQuestion {
  /** The question. */
  readonly prompt: string
  /** The words ahead of the question; default: none. */
  readonly instructions?: string
  /** The model; default: the one that the agent asks. */
  readonly model?: ModelChoice
  /** The most tokens of the answer. */
  readonly maxOutputTokens?: number
}

/** A call of the model as middleware sees it. */
export interface MiddlewareCall extends MiddlewareTurn {
  /** The id of the call. */
  readonly callId: string
  /** The name of the tool. */
  readonly tool: string
  /** The arguments. */
  readonly input: JsonObject
  /** Whether the call may be repeated after a crash in the middle of it. */
  readonly effect: ToolEffect
}

/** A text that is put before the model. */
export interface Note {
  /** The text. */
  readonly text: string
}

/** Other arguments for a call, or the reason why it is not made. */
export type CallChange = { readonly input: JsonObject } | { readonly deny: string }

/** `again`: the model is asked again, with this text before it. `fail`: the turn fails, with this text as its error. */
export type AnswerReview = { readonly again: string } | { readonly fail: string }

/** A request for a summary of the older part of a conversation. */
export interface SummaryRequest {
  /** The messages that the summary replaces. */
  readonly messages: readonly ModelMessage[]
  /** The most tokens of the summary. */
  readonly maxTokens: number
  /** Aborts when the run is cancelled or has ended. */
  readonly signal: AbortSignal
}

/** A summary of the older part of a conversation. */
export interface Summary {
  /** The text that the model reads instead of the older part. */
  readonly text: string
}

const POINTS = ['start', 'before', 'after', 'answer', 'model', 'compact'] as const

/** The first thing that is wrong with a middleware; null = nothing. */
export const middlewareProblem = (value: unknown): string | null => {
  if (typeof value !== 'object' || value === null) return 'an entry is no object.'
  const { name, tools, mustReview, ...rest } = value as { readonly [name: string]: unknown }
  if (typeof name !== 'string' || name === '') return 'an entry has no name.'
  if (tools !== undefined && !Array.isArray(tools)) return `the tools of "${name}" are not a list.`
  if (mustReview !== undefined && typeof mustReview !== 'boolean') return `mustReview of "${name}" is no boolean.`
  for (const point of POINTS)
    if (rest[point] !== undefined && typeof rest[point] !== 'function') return `${point} of "${name}" is no function.`
  return POINTS.some((point) => rest[point] !== undefined) || tools !== undefined
    ? null
    : `"${name}" does nothing: give it tools, or one of ${POINTS.join(', ')}.`
}
