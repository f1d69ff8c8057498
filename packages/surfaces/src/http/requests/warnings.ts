// Most routes only warn about unknown names, so that clients of other versions keep working. Lists refuse them: without the
// intended filter they would return everybody's rows.

import { isJsonObject, type JsonObject } from '@bridle/events/json'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import type * as v from 'valibot'
import { jsonText } from '../answers/json-response.ts'
import { badRequest, type Denial } from '../denials/denial.ts'
import { WARNING_NAME_CHARS_MAX } from '../limits.ts'

/** Enough to see what is wrong. */
const WARNINGS_MAX = 20

const CREDENTIAL_PARAMETERS = ['token', 'ticket', 'tenant']
/** Accepted by every route that warns. */
const COMMON_PARAMETERS = [...CREDENTIAL_PARAMETERS, 'agent']

type FieldSchema = v.GenericSchema<unknown, unknown>

export const unknownParameters = (
  schema: FieldSchema | undefined,
  query: Readonly<Record<string, string>>,
): string[] => {
  const known = [...Object.keys(entriesOf(schema) ?? {}), ...COMMON_PARAMETERS]
  return Object.keys(query)
    .filter((name) => !known.includes(name))
    .map((name) => warning('query', name, nearestName(name, known)))
}

export const refuseUnknownParameters = (
  schema: FieldSchema | undefined,
  query: Readonly<Record<string, string>>,
): Denial | null => {
  const known = [...Object.keys(entriesOf(schema) ?? {}), ...CREDENTIAL_PARAMETERS]
  const unknown = Object.keys(query).filter((name) => !known.includes(name))
  if (unknown.length === 0) return null
  const sentences = unknown.slice(0, WARNINGS_MAX).map((name) => unknownName('query', name, nearestName(name, known)))
  return badRequest(`${sentences.join(' ')} Known are ${known.join(', ')}.`)
}

/** A body without a field schema, such as an agent's input, has no unknown names. */
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
    return isJsonObject(value) ? unknownFields(entries[name], value, `${within}${name}.`) : []
  })
  return [...own, ...inner]
}

export const warningFields = (warnings: readonly string[]): { readonly warnings?: readonly string[] } =>
  warnings.length === 0 ? {} : { warnings: warnings.slice(0, WARNINGS_MAX) }

export const withWarnings = async (response: Response, warnings: readonly string[]): Promise<Response> => {
  const { status, headers } = response
  const isWhole = headers.get('content-type')?.startsWith('application/json') && !isSentInParts(headers)
  if (warnings.length === 0 || !isWhole || response.body === null) return response
  headers.delete('content-length')
  return new Response(withFields(await response.text(), warningFields(warnings)), { status, headers })
}

/** Appends to the JSON text, because parsing a large answer only to print it again is slow. */
const withFields = (text: string, fields: object): string =>
  text.endsWith('}\n') ? `${text.slice(0, -2)}${text === '{}\n' ? '' : ','}${jsonText(fields).slice(1)}` : text

/** Artifacts must stay as they are, and a heartbeat body has no end yet. */
const isSentInParts = (headers: Headers): boolean =>
  headers.has('accept-ranges') || (headers.get('cache-control') ?? '').includes('no-transform')

const warning = (where: 'query' | 'body', name: string, near: string | null): string =>
  unknownName(where, name, near, ', and was ignored')

const unknownName = (where: 'query' | 'body', name: string, near: string | null, outcome = ''): string => {
  const shown = name.length > WARNING_NAME_CHARS_MAX ? `${name.slice(0, WARNING_NAME_CHARS_MAX)}…` : name
  return `${where}: "${shown}" is not known here${outcome}.${near === null ? '' : ` Did you mean "${near}"?`}`
}

/** Unwraps `optional`; null if it is not an object schema. */
const entriesOf = (schema: FieldSchema | undefined): Readonly<Record<string, FieldSchema>> | null => {
  const { entries, wrapped } = (schema ?? {}) as { entries?: Record<string, FieldSchema>; wrapped?: FieldSchema }
  return entries ?? (wrapped ? entriesOf(wrapped) : null)
}
