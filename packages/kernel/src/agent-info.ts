// An agent as the wires show it.

import type { Json, JsonObject } from '@bridle/events/json'
import type { EngineIdentity, EngineInfo } from './engine-info.ts'
import { findUnknownName, nearestName } from './text/nearest-name.ts'
import { truncate } from './text/truncate.ts'

/** A misspelt name of a field is repeated to its caller, who can see by this much which one it is. */
const FIELD_NAME_CHARS_MAX = 100

export interface AgentInfo extends EngineIdentity {
  readonly name: string
  readonly description: string
  /** Declares `triggers: { webhook: true }`. */
  readonly webhook: boolean
  /** The missing requirement, as a sentence; null: the agent can run. */
  readonly needs: string | null
  /**
   * A run begins also while something is missing, and says so itself: its session may ask another model than those of the agent, or a
   * voice.
   */
  readonly startsAnyway?: boolean
  /** The place of the key or login that the agent uses, never its value; absent or null = it uses none that is known here. */
  readonly credential?: string | null
  /** Sentences about mistakes that stop nothing; absent = none. */
  readonly warnings?: readonly string[]
  /** Made by `sop()`: a conversation returns to the default agent when its run ends. */
  readonly isProcedure?: boolean
  /** Every server has the agent, unless the user has one of that name. */
  readonly isDefault?: boolean
  /** The events and features of the engine behind the agent; absent = everything is native. */
  readonly capabilities?: EngineInfo
  /** The models that the agent asks, in order: each one after the first where the one before it fails. Absent = none that is known here. */
  readonly models?: readonly string[]
  /**
   * The reason why sessions of the agent cannot ask this model, as a sentence; null = they can. Absent = a session cannot choose the
   * model.
   */
  readonly modelProblem?: (model: string) => string | null
  /** The reason why sessions of the agent have no workspace here, as a sentence; absent or null = they may have one. */
  readonly workspaceProblem?: string | null
  /** JSON Schema of the input; absent or null = any object, or a schema that cannot be written so. */
  readonly inputSchema?: () => JsonObject | null
  /** Turns a request's body into the prompt and input of a run, or says what is wrong with it. */
  readonly accept: (body: JsonObject) => Promise<Submission | { readonly problem: string }>
}

/** Whether a run of the agent can begin. Needs come last: to find them, files are looked up. */
export const canStart = (agent: Pick<AgentInfo, 'needs' | 'startsAnyway'>): boolean =>
  agent.startsAnyway === true || agent.needs === null

/** The sentence with which a prompt for the agent is refused; null: its run can begin. */
export const unavailability = (agent: Pick<AgentInfo, 'name' | 'needs' | 'startsAnyway'>): string | null =>
  canStart(agent) ? null : `The agent "${agent.name}" is not available: ${agent.needs}`

/**
 * The sentence with which a prompt of a session is refused: also if none of the agent's models can be asked, and the session names no other
 * one. Null: its run can begin.
 */
export const promptRefusal = (
  agent: Pick<AgentInfo, 'name' | 'needs' | 'startsAnyway' | 'modelProblem'>,
  sessionModel: Json | undefined,
): string | null => {
  const unavailable = unavailability(agent)
  if (unavailable !== null || !agent.startsAnyway) return unavailable
  if (typeof sessionModel === 'string' && agent.modelProblem?.(sessionModel) === null) return null
  return unavailability({ name: agent.name, needs: agent.needs })
}

export interface Submission {
  readonly prompt: string
  readonly input?: Json
}

/** The input of an agent that takes a prompt and any other fields. */
export const promptSchema = (more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { prompt: { type: 'string' }, ...more },
  required: ['prompt'],
})

/** The fields of a prompt for an agent that declares no input: its text, its files, and what a shell of OpenHarness adds. */
const PROMPT_FIELDS = ['prompt', 'attachments', 'openharness']

/** The input of an agent that declares none. A misspelt field is refused: without its prompt, a run would do something else. */
export const acceptPromptAlone: AgentInfo['accept'] = async (body) => {
  const unknown = findUnknownName(body, PROMPT_FIELDS)
  if (unknown === null) return acceptPrompt(body)
  const { name, near } = unknown
  const shown = truncate(name, FIELD_NAME_CHARS_MAX)
  return {
    problem: `"${shown}" is not known here. ${near === null ? 'This agent takes { "prompt": "…" }.' : `Did you mean "${near}"?`}`,
  }
}

/** The built-in agents take `{ prompt }`; the other fields of the body become the input. */
export const acceptPrompt: AgentInfo['accept'] = async (body) => {
  const { prompt } = body
  if (prompt === undefined) {
    const misspelt = Object.keys(body).find((name) => nearestName(name, ['prompt']) !== null)
    if (misspelt !== undefined) return { problem: `"${misspelt}" is not known here. Did you mean "prompt"?` }
  }
  if (typeof prompt !== 'string') return { problem: 'The body must have a "prompt" that is a text.' }
  return { prompt, ...(Object.keys(body).length > 1 && { input: body }) }
}
