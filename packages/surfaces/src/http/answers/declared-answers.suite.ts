// Holds answers against their declarations: every answer of an app under test has a status that its route declares, and its
// JSON has exactly the declared fields.

import { plainErrorSchema, typedErrorSchema } from '@bridle/wire/http/wire/errors'
import * as v from 'valibot'
import { openapiDocument } from '../openapi/document.ts'
import { matchPath } from '../router/path-pattern.ts'
import type { Route } from '../router/route.ts'
import type { AnswerBody } from './answer-schema.ts'

/** Throws when the answer is not a declared one. The answer can still be read afterwards. */
export const expectDeclaredAnswer = async (
  rows: readonly Route[],
  request: Request,
  answer: Response,
): Promise<void> => {
  const { pathname } = new URL(request.url)
  const row = rows.find(({ method, path }) => method.toUpperCase() === request.method && fits(path, pathname))
  // Paths without a route, and methods that a path does not have, are no answers of a route.
  if (!row || answer.status === 405 || Object.keys(row.answers).length === 0) return
  const where = `${row.method} ${row.path} answered ${answer.status}`
  if (!declaredStatuses(rows, row).has(String(answer.status))) throw new Error(`${where}, which it does not declare.`)
  const declared = row.answers[answer.status]?.body
  const type = answer.headers.get('content-type') ?? ''
  const isArtifact = answer.headers.has('accept-ranges')
  // An answer that beats is sent in parts; its test reads it.
  if (!type.startsWith('application/json') || isArtifact || answer.headers.get('preference-applied') === 'heartbeat')
    return
  const sent = await answer.clone().text()
  if (!sent.endsWith('}\n')) throw new Error(`${where}, without a newline at the end.`)
  const body: unknown = JSON.parse(sent)
  const schemas = answer.ok ? [declared?.schema] : [declared?.schema, plainErrorSchema, typedErrorSchema]
  const problems = schemas.map((schema) => problemWith(schema, body))
  if (!problems.includes(null)) throw new Error(`${where}: ${problems[0]}\n${JSON.stringify(body).slice(0, 2_000)}`)
}

/** Null = the value has the fields of the schema, and no others. */
export const problemWith = (schema: AnswerBody['schema'] | undefined, value: unknown): string | null => {
  if (!schema) return 'no JSON body is declared'
  const parsed = v.safeParse(schema, withoutWarnings(value))
  if (!parsed.success) return parsed.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`).join('; ')
  return undeclaredField(withoutWarnings(value), parsed.output, '')
}

/** Every JSON answer may have `warnings`. */
const withoutWarnings = (value: unknown): unknown => {
  const { warnings: _warnings, ...rest } = value as { warnings?: unknown }
  return rest
}

/** Parsing drops the fields that a schema does not have. */
const undeclaredField = (value: unknown, parsed: unknown, at: string): string | null => {
  if (typeof value !== 'object' || value === null) return null
  for (const [name, inner] of Object.entries(value)) {
    const path = at === '' ? name : `${at}.${name}`
    if (typeof parsed !== 'object' || parsed === null || !Object.hasOwn(parsed, name)) return `${path}: not declared`
    const problem = undeclaredField(inner, (parsed as Record<string, unknown>)[name], path)
    if (problem !== null) return problem
  }
  return null
}

const fits = (path: string, pathname: string): boolean => {
  const params = matchPath(path, pathname)
  return params !== null && !Object.values(params).includes('')
}

const known = new WeakMap<readonly Route[], ReturnType<typeof openapiDocument>>()
const declaredStatuses = (rows: readonly Route[], { path, method }: Route): ReadonlySet<string> => {
  const document = known.get(rows) ?? openapiDocument(rows)
  known.set(rows, document)
  const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method] as { responses: object }
  return new Set(Object.keys(operation.responses))
}
