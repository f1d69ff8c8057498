// Reports that an agent's function and a tool make in the same way.
import { catalogue, isEventType } from '@bridle/events/catalogue'
import type { JsonObject } from '@bridle/events/json'
import { type Payloads, parsePayload } from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import { customEventProblem } from '@bridle/kernel/custom-event'
import { directiveProblem } from '@bridle/kernel/directive'
import type { AnyEventDraft } from '@bridle/kernel/event'
import { toPlainJson } from '../schemas/input.ts'
import type { UsageReport } from '../session.ts'

export const artifactItem = (
  name: string,
  text: string,
  contentType = 'text/plain; charset=utf-8',
  kind = 'file',
): ReportItem & { readonly type: 'artifact' } => {
  const isText = [name, text, contentType, kind].every((part) => typeof part === 'string')
  if (!isText || name === '') throw new TypeError('session.artifact() takes a name and a text.')
  return { type: 'artifact', name, contentType, text, kind }
}

export const usageItem = ({ inputTokens, outputTokens, totalTokens, costUsd, contextUsagePct }: UsageReport) =>
  agentEventItem('usage', {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: totalTokens,
    cost_usd: costUsd,
    context_usage_pct: contextUsagePct,
  })

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
