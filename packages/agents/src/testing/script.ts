// A script of a model: which answer belongs to a prompt. It follows from the prompt alone, so a model in another process, which has
// never seen the session, gives the answer that the first one would have given.

import type { Json } from '@bridle/events/json'
import type { ModelMessage, ModelTool, ModelToolResultPart } from '../model/model.ts'

/**
 * The answers of a model. A list has the answers of one turn, in order, and is the same in every turn. A list of lists has a
 * list for each turn. A function decides for each request. A text stands for an answer of that text alone.
 */
export type ModelScript =
  | readonly (ScriptAnswer | string)[]
  | readonly (readonly (ScriptAnswer | string)[])[]
  | ((request: ScriptRequest) => ScriptAnswer | string | Promise<ScriptAnswer | string>)

/** An answer of the model. It ends the turn unless it has calls. */
export interface ScriptAnswer {
  /** The text of the answer. */
  readonly text?: string
  /** The reasoning before the text. It gets a signature, as real reasoning has. */
  readonly thinking?: string
  /** Calls of tools, after the text. */
  readonly calls?: readonly ScriptCall[]
  /** The tokens that the answer used. */
  readonly usage?: ScriptUsage
  /** Fails. With nothing beside it the request fails at once, else the stream fails after the rest. */
  readonly error?: ScriptError
  /** Milliseconds before each piece of the answer. */
  readonly delayMs?: number
  /** The number of pieces in which text and reasoning arrive; default: one for each word. */
  readonly chunks?: number
  /** Why the model stops; default `tool-calls` with calls, else `stop`. */
  readonly finish?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other'
}

/** A call of a tool. */
export interface ScriptCall {
  /** The name of the tool. */
  readonly tool: string
  /** The arguments; default none. A text is sent as it is, also where it is not JSON. */
  readonly input?: Json
  /** The id of the call at the provider; default: a new one. */
  readonly id?: string
}

/** The tokens of an answer. */
export interface ScriptUsage {
  /** Tokens that the model read. */
  readonly inputTokens?: number
  /** Tokens that the model wrote. */
  readonly outputTokens?: number
}

/** A failure: the stream ends early (`cut`), never goes on (`stalled`), or the provider answers with an HTTP status. */
export type ScriptError =
  | 'cut'
  | 'stalled'
  | {
      /** The status, such as 401, 429 or 529. */
      readonly status: number
      /** The provider's words. */
      readonly message?: string
      /** The wait that the provider asks for. */
      readonly retryAfterMs?: number
    }

/** A request, as a script sees it. */
export interface ScriptRequest {
  /** The whole prompt. */
  readonly messages: readonly ModelMessage[]
  /** The tools that the model may call. */
  readonly tools: readonly ModelTool[]
  /** The number of the turn, from 1: the messages of the user so far. */
  readonly turn: number
  /** The number of the answer in the turn, from 1: the answers since the last message of the user, and this one. */
  readonly step: number
  /** The last message of the user. */
  readonly prompt: string
  /** The results of the calls of the answer before this one. */
  readonly results: readonly ModelToolResultPart[]
}

export const answerOf = async (script: ModelScript, request: ScriptRequest): Promise<ScriptAnswer> => {
  const answer = typeof script === 'function' ? await script(request) : listed(script, request)
  return typeof answer === 'string' ? { text: answer } : answer
}

const listed = (script: Exclude<ModelScript, (...args: never) => unknown>, { turn, step }: ScriptRequest) => {
  const isByTurn = Array.isArray(script[0])
  const turns = script as readonly (readonly (ScriptAnswer | string)[])[]
  const answers = isByTurn ? (turns[turn - 1] ?? []) : (script as readonly (ScriptAnswer | string)[])
  const answer = answers[step - 1]
  if (answer === undefined)
    throw scriptError({
      status: 400,
      message: `The script has no answer ${step}${isByTurn ? ` in turn ${turn}` : ''}. Add one.`,
    })
  return answer
}

/** Reads a prompt from its end: a long conversation costs no more than a short one, unless the script wants the turn. */
export const scriptRequest = (messages: readonly ModelMessage[], tools: readonly ModelTool[]): ScriptRequest => {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const since = messages.slice(last + 1)
  const message = messages[last]
  const lastAnswer = since.findLastIndex(({ role }) => role === 'assistant')
  return {
    messages,
    tools,
    get turn() {
      return messages.filter(({ role }) => role === 'user').length
    },
    step: since.filter(({ role }) => role === 'assistant').length + 1,
    prompt:
      message?.role === 'user'
        ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
        : '',
    results: since.slice(lastAnswer + 1).flatMap((each) => (each.role === 'tool' ? each.content : [])),
  }
}

/** An error in the shape in which the packages of providers throw it. */
export const scriptError = ({ status, message, retryAfterMs }: Exclude<ScriptError, string>): Error =>
  Object.assign(new Error(message ?? `The script fails with ${status}.`), {
    name: 'AI_APICallError',
    statusCode: status,
    responseHeaders: retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) },
    isRetryable: status === 408 || status === 409 || status === 429 || status >= 500,
  })
