// Questions of a server to the user (MCP elicitation). Each belongs to a running call.

import type { AskPerson } from '@bridle/agents/loop/calls/call-questions'
import { type CallScope, createCallScope } from '@bridle/agents/steps/call-scope'
import {
  ELICITATION_SUBJECT,
  type Elicitation,
  type ElicitationResult,
  elicitationReason,
  elicitationRequest,
  elicitationResult,
} from '@bridle/events/elicitation'
import { isJsonObject, type JsonObject, present } from '@bridle/events/json'

export const ELICITATION_CAPABILITY = { elicitation: { form: {}, url: {} } }

export interface McpCaller {
  /** The connection lease of the run. */
  readonly run: object
  readonly signal: AbortSignal
  /** Absent outside a run. */
  readonly ask?: AskPerson | undefined
}

/** Why a question cannot be shown. The message is for the server. */
export class ElicitationProblem extends Error {}

export class Callers {
  readonly #scope: CallScope = createCallScope()
  readonly #calls = new Map<string, McpCaller>()
  #count = 0

  async during<T>(caller: McpCaller, call: () => Promise<T>): Promise<T> {
    this.#count += 1
    const name = String(this.#count)
    this.#calls.set(name, caller)
    try {
      return await this.#scope.run({ kind: 'call', name }, call)
    } finally {
      this.#calls.delete(name)
    }
  }

  /** The call a server request belongs to: over HTTP, the call it arrives with; for a program, the only run's call. */
  current(): McpCaller {
    const { name = '' } = this.#scope.current() ?? {}
    const own = this.#calls.get(name)
    if (own) return own
    const [first, ...others] = [...this.#calls.values()].reverse()
    if (!first) throw new ElicitationProblem('No tool is being called, so there is no user to ask.')
    if (others.every(({ run }) => run === first.run)) return first
    throw new ElicitationProblem(SHARED)
  }
}

const SHARED =
  'Several sessions call this server at once, and the request does not name the call it belongs to. Set `isolated: true` for the server.'

/** A cancelled run or a refusal by the session cancels the question. Throws an `ElicitationProblem` if it cannot be shown. */
export const elicit = async (
  server: string,
  params: unknown,
  { ask, signal: callSignal }: McpCaller,
  signal: AbortSignal = callSignal,
): Promise<ElicitationResult> => {
  const asked = parseElicitation(server, params)
  const request = elicitationRequest(asked)
  if ('problem' in request) throw new ElicitationProblem(request.problem)
  if (!ask) throw new ElicitationProblem('The call is made outside of a run, so there is no user to ask.')
  const question = {
    ...{ tool: ELICITATION_SUBJECT, arguments: { ...asked } as JsonObject, reason: elicitationReason(asked), request },
  }
  try {
    const { decision, arguments: answered, isRefused } = await ask(question, signal)
    if (decision === 'approved') return elicitationResult(asked, answered)
    return { action: isRefused ? 'cancel' : 'decline' }
  } catch (error) {
    if (callSignal.aborted) return { action: 'cancel' }
    throw error
  }
}

const parseElicitation = (server: string, params: unknown): Elicitation => {
  const { message, mode, requestedSchema, url } = isJsonObject(params) ? params : {}
  if (typeof message !== 'string') throw new ElicitationProblem('An elicitation has a `message`.')
  return { server, message, ...present({ mode, requestedSchema, url }) }
}
