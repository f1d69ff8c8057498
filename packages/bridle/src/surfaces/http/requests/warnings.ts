// Names in a request that nobody knows. A misspelt name is never refused, so that clients of other versions go on working,
// but the answer names it: a budget that is lost by a typo should not be lost in silence.
import type * as v from 'valibot'
import type { JsonObject } from '../../../kernel/json.ts'
import { nearestName } from '../../../kernel/text/nearest-name.ts'
import { WARNING_NAME_CHARS_MAX, WARNINGS_MAX } from '../limits.ts'

/** Every route may be asked with these: who asks, and whose session is meant. */
const COMMON = ['token', 'ticket', 'tenant', 'agent']

type FieldSchema = v.GenericSchema<unknown, unknown>

export const unknownParameters = (
  schema: FieldSchema | undefined,
  query: Readonly<Record<string, string>>,
): string[] => {
  const known = [...Object.keys(entriesOf(schema) ?? {}), ...COMMON]
  return Object.keys(query)
    .filter((name) => !known.includes(name))
    .map((name) => warning('query', name, nearestName(name, known)))
}

/** In a body without a form of its own, such as an agent's input, nothing is unknown. */
export const unknownFields = (schema: FieldSchema | undefined, body: JsonObject, within = ''): string[] => {
  const entries = entriesOf(schema)
  if (!entries) return []
  const known = Object.keys(entries)
  const own = Object.keys(body)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearestName(name, known)
      return warning('body', within + name, near === null ? null : within + near)
    })
  const inner = known.flatMap((name) => {
    const value = body[name]
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? unknownFields(entries[name], value as JsonObject, `${within}${name}.`) : []
  })
  return [...own, ...inner]
}

/** The field of an answer that names the warnings, where there are any. */
export const warningFields = (warnings: readonly string[]): { readonly warnings?: readonly string[] } =>
  warnings.length === 0 ? {} : { warnings: warnings.slice(0, WARNINGS_MAX) }

/** The same answer with the warnings in it, where it is a JSON object. */
export const withWarnings = async (response: Response, warnings: readonly string[]): Promise<Response> => {
  const { status, headers } = response
  const isWhole = headers.get('content-type')?.startsWith('application/json') && !isSentInParts(headers)
  if (warnings.length === 0 || !isWhole || response.body === null) return response
  const body = (await response.json()) as JsonObject
  const more = { ...body, ...warningFields(warnings) }
  headers.delete('content-length')
  return new Response(JSON.stringify(more), { status, headers })
}

/** An artifact is the agent's own text, and an answer that beats is not there yet. */
const isSentInParts = (headers: Headers): boolean =>
  headers.has('accept-ranges') || (headers.get('cache-control') ?? '').includes('no-transform')

const warning = (where: 'query' | 'body', name: string, near: string | null): string => {
  const shown = name.length > WARNING_NAME_CHARS_MAX ? `${name.slice(0, WARNING_NAME_CHARS_MAX)}…` : name
  return `${where}: "${shown}" is not known here, and was ignored.${near === null ? '' : ` Did you mean "${near}"?`}`
}

/** The fields of an object's schema, also of one that may be left out; null = it has none. */
const entriesOf = (schema: FieldSchema | undefined): Readonly<Record<string, FieldSchema>> | null => {
  const { entries, wrapped } = (schema ?? {}) as { entries?: Record<string, FieldSchema>; wrapped?: FieldSchema }
  return entries ?? (wrapped ? entriesOf(wrapped) : null)
}
