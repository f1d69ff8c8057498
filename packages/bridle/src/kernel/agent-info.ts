// What the wires know of an agent.
import type { Json, JsonObject } from './json.ts'

export interface AgentInfo {
  readonly name: string
  readonly description: string
  /** Declares `triggers: { webhook: true }`. */
  readonly webhook: boolean
  /** What is missing before it can run; null = nothing. */
  readonly needs: string | null
  /** What the engine behind it can tell and do; absent = everything is native. */
  readonly engine?: EngineTable
  /** Turns a request's body into the prompt and input of a run, or says what is wrong with it. */
  readonly accept: (body: JsonObject) => Promise<Submission | { readonly problem: string }>
}

/** Published as it is: reduced fidelity is declared. */
export interface EngineTable {
  readonly name: string
  readonly version: string
  readonly events: { readonly [type: string]: 'native' | 'derived' | 'none' }
  readonly features: { readonly [feature: string]: boolean }
  readonly notes: readonly string[]
}

export interface Submission {
  readonly prompt: string
  readonly input?: Json
}

/** The built-in agents take `{ prompt }`; whatever else is there travels along as input. */
export const acceptPrompt: AgentInfo['accept'] = async (body) => {
  const { prompt } = body
  if (typeof prompt !== 'string') return { problem: 'The body must have a "prompt" that is a text.' }
  return { prompt, ...(Object.keys(body).length > 1 && { input: body }) }
}
