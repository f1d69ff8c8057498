import type { Json, JsonObject } from '@bridle/events/json'
import type { EngineIdentity, EngineInfo } from './engine-info.ts'
import { findUnknownName, nearestName } from './text/nearest-name.ts'
import { truncate } from './text/truncate.ts'

/** Enough of a misspelt field name for its caller to recognise it. */
const FIELD_NAME_CHARS_MAX = 100

export interface AgentInfo extends EngineIdentity {
  readonly name: string
  readonly description: string
  readonly webhook: boolean
  /** The missing requirement, as a sentence. Null if the agent can run. */
  readonly needs: string | null
  /** Runs start despite `needs` and report the problem themselves: the session may choose another model or use a voice. */
  readonly startsAnyway?: boolean
  /** Where the agent's key or login is stored, never its value. Null or absent if none is known. */
  readonly credential?: string | null
  /** Mistakes in the setup that do not prevent a run, as sentences. */
  readonly warnings?: readonly string[]
  /** Defined with `sop()`: the conversation returns to the default agent when the run ends. */
  readonly isProcedure?: boolean
  /** Built into every server. A user's agent of the same name replaces it. */
  readonly isDefault?: boolean
  /** Absent: all events and features are native. */
  readonly capabilities?: EngineInfo
  /** Models in fallback order. Absent if none is known. */
  readonly models?: readonly string[]
  /** The models that a session or a prompt can name. Absent if there is no list. */
  readonly modelChoices?: readonly { readonly id: string; readonly title: string }[]
  /** Reasoning efforts, from little to much. Absent if callers cannot choose. */
  readonly efforts?: readonly string[]
  /** Why the agent cannot use this effort, as a sentence with its list, or null. Absent if it takes any text. */
  readonly effortProblem?: (effort: string) => string | null
  /** Why sessions cannot use this model, as a sentence, or null. Absent if sessions cannot choose a model. */
  readonly modelProblem?: (model: string) => string | null
  /** Why sessions of the agent cannot have a workspace here, as a sentence. */
  readonly workspaceProblem?: string | null
  /** JSON Schema of the input. Null or absent: any object, or a schema that JSON Schema cannot express. */
  readonly inputSchema?: () => JsonObject | null
  /** Turns a request body into a prompt and input, or returns what is wrong with it. */
  readonly accept: (body: JsonObject) => Promise<Submission | { readonly problem: string }>
}

export const canStart = (agent: Pick<AgentInfo, 'needs' | 'startsAnyway'>): boolean =>
  agent.startsAnyway === true || agent.needs === null

/** Why the agent refuses prompts, as a sentence, or null. */
export const unavailability = (agent: Pick<AgentInfo, 'name' | 'needs' | 'startsAnyway'>): string | null =>
  canStart(agent) ? null : `The agent "${agent.name}" is not available: ${agent.needs}`

/** Like `unavailability`, but null if the session chose a model that can be called. */
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

export const promptSchema = (more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { prompt: { type: 'string' }, ...more },
  required: ['prompt'],
})

/** For agents without an input schema: the text, its files, and the additions of an OpenHarness shell. */
const PROMPT_FIELDS = ['prompt', 'attachments', 'openharness']

/** For agents without an input schema. Misspelt fields are refused: the run would silently ignore them. */
export const acceptPromptAlone: AgentInfo['accept'] = async (body) => {
  const unknown = findUnknownName(body, PROMPT_FIELDS)
  if (unknown === null) return acceptPrompt(body)
  const { name, near } = unknown
  const shown = truncate(name, FIELD_NAME_CHARS_MAX)
  return {
    problem: `"${shown}" is not known here. ${near === null ? 'This agent takes { "prompt": "…" }.' : `Did you mean "${near}"?`}`,
  }
}

/** For built-in agents, whose input is every field beside `prompt`. */
export const acceptPrompt: AgentInfo['accept'] = async (body) => {
  const { prompt } = body
  if (prompt === undefined) {
    const misspelt = Object.keys(body).find((name) => nearestName(name, ['prompt']) !== null)
    if (misspelt !== undefined) return { problem: `"${misspelt}" is not known here. Did you mean "prompt"?` }
  }
  if (typeof prompt !== 'string') return { problem: 'The body must have a "prompt" that is a text.' }
  return { prompt, ...(Object.keys(body).length > 1 && { input: body }) }
}
