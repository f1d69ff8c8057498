// What the runs of agents get from their host, and the events that an agent may report.
import { catalogue, isEventType } from '../kernel/catalogue.ts'
import type { ReportItem } from '../kernel/commands.ts'
import { customEventProblem } from '../kernel/custom-event.ts'
import { directiveProblem } from '../kernel/directive.ts'
import type { AnyEventDraft, Key } from '../kernel/event.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { ChildSessions } from '../kernel/ports/child-sessions.ts'
import type { Clock } from '../kernel/ports/clock.ts'
import type { Digest } from '../kernel/ports/digest.ts'
import type { Uploads } from '../kernel/ports/uploads.ts'
import { type Payloads, parsePayload } from '../kernel/schemas.ts'
import type { LanguageModel } from './model/model.ts'
import type { ModelResolver } from './model/model-choice.ts'
import { toPlainJson } from './schemas/input.ts'
import type { RunTracer } from './trace/trace.ts'

/** Code of an agent has thrown. The log and callers get the message alone; this has the stack. */
export interface AgentFailure {
  /** The session: tenant, agent and id. */
  readonly key: Key
  /** The id of the run. */
  readonly runId: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The thrown value. */
  readonly error: unknown
  /** The tool of a model agent that threw: the run goes on. Null: the run has failed. */
  readonly tool: string | null
}

export interface AgentRunPorts {
  readonly clock: Clock
  readonly digest: Digest
  /** Uploaded files; absent: the target keeps none. */
  readonly uploads?: Pick<Uploads, 'read'>
  /** From 0 to below 1, spreads retries over time; absent: Math.random. */
  readonly random?: () => number
  /** Finds models by their names; absent: agents pass objects only. */
  readonly resolveModel?: ModelResolver
  /** The reason why a model of this name cannot be asked, as a sentence; null: none that can be seen before. */
  readonly missingModel?: (name: string) => string | null
  /** The model that answers a spoken prompt of a session aloud; null: nobody listens, and the agent's own model writes. */
  readonly voiceModel?: (key: Key) => LanguageModel | null
  /** Sessions of other agents that do tasks of a run; absent: no agent can ask another one. */
  readonly children?: ChildSessions
  /** Records spans of model agents; absent: nobody watches. */
  readonly trace?: RunTracer
  /** Receives what code of an agent throws; absent: nobody reads it. */
  readonly onFailure?: (failure: AgentFailure) => void
}

/** An event of the catalogue that an agent may emit, or a custom event. */
export const agentEventItem = (type: string, payload: unknown): ReportItem => {
  if (!isEventType(type)) return customEventItem(type, payload)
  if (type === 'directive') return directiveItem(payload)
  const { source, wire } = catalogue[type]
  if (!['runner', 'server'].includes(source) || wire === 'internal' || type === 'custom_event')
    throw new TypeError(`"${type}" is not an event that an agent can emit.`)
  const checked = parsePayload(type, toPlainJson(payload, `payload of ${type}`))
  if ('problem' in checked) throw new TypeError(checked.problem)
  return { type: 'event', event: { type, payload: checked.payload } as Pick<AnyEventDraft, 'type' | 'payload'> }
}

/** A directive with all of its fields checked. */
export const directiveItem = (given: unknown): ReportItem => {
  const directive = toPlainJson(given, 'directive')
  const problem = directiveProblem(directive)
  if (problem !== null) throw new TypeError(problem)
  return { type: 'event', event: { type: 'directive', payload: directive as unknown as Payloads['directive'] } }
}

const customEventItem = (name: string, payload: unknown): ReportItem => {
  const data = toPlainJson(payload, `payload of ${name}`)
  const problem = customEventProblem(name, data)
  if (problem !== null) throw new TypeError(problem)
  return { type: 'event', event: { type: 'custom_event', payload: { name, data: data as JsonObject } } }
}
