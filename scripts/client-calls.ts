// Generates the calls of `fabricClient` that are a single request, from the route table (`npm run docs`). A row names its call; parameters
// and types come from the path, the schemas of query and body, and the answers.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { getTitle } from 'valibot'
import { httpWires } from '../packages/bridle/src/surfaces/all.ts'
import type { AnswerDescription } from '../packages/bridle/src/surfaces/http/answers/answer-schema.ts'
import { type JsonSchema, requestSchema } from '../packages/bridle/src/surfaces/http/openapi/json-schemas.ts'
import { routeTable } from '../packages/bridle/src/surfaces/http/router/app.ts'
import type { ClientCall, Route } from '../packages/bridle/src/surfaces/http/router/route.ts'

const source = fileURLToPath(new URL('../packages/bridle/src/', import.meta.url))
export const callsFile = `${source}client/fabric/calls.generated.ts`

export const clientCalls = (rows: readonly Route[] = routeTable(httpWires)): string => {
  const calls = rows.flatMap((row) => (row.call === undefined ? [] : [{ row, call: clientCall(row.call) }]))
  const sorted = calls.toSorted((a, b) => (a.call.name < b.call.name ? -1 : 1))
  const text = sorted.map(({ row, call }) => writtenCall(row, call)).join('\n')
  return `// Written by \`npm run docs\` from the rows of the routes: change a row, not this file.
${typeImports(text)}import { pathSegment, queryText, type Requests } from './requests.ts'

/** The calls that are one request each. \`agent\` is needed where several agents have a session of the id. */
export const routeCalls = ({ act, call, get, send }: Requests) => ({
${text}
})
`
}

const clientCall = (call: string | ClientCall): ClientCall => (typeof call === 'string' ? { name: call } : call)

const writtenCall = (row: Route, call: ClientCall): string => {
  const input = inputOf(row, call)
  const { type, kind } = answerOf(row, call)
  const head = `async (${input.parameters.join(', ')}): Promise<${type}> =>`
  return [`  /** ${sentence(row, call)} */`, `  ${call.name}: ${head}`, `    ${requestText(row, input, kind)},`].join(
    '\n',
  )
}

const sentence = ({ summary }: Route, { fixed = {} }: ClientCall): string => {
  const sent = Object.entries(fixed).map(([name, value]) => ` Sent with \`${name}=${value}\`.`)
  return `${summary}.${sent.join('')}`
}

type AnswerKind = 'json' | 'text' | 'response' | 'none'

/** The answer of a success that is not a stream of events. */
const answerOf = ({ answers, path }: Route, { answer }: ClientCall): { type: string; kind: AnswerKind } => {
  if (answer === 'void') return { type: 'void', kind: 'none' }
  const bodies = Object.entries(answers).flatMap(([status, { body }]: [string, AnswerDescription]) =>
    status.startsWith('2') && body && body.contentType !== 'text/event-stream' ? [body] : [],
  )
  const [body] = bodies
  if (body?.contentType === 'text/plain') return { type: 'string', kind: 'text' }
  if (body?.contentType !== 'application/json') return { type: 'Response', kind: 'response' }
  const type = answer ?? getTitle(body.schema)
  if (type === undefined) throw new Error(`The answer of ${path} has no title, and its call names no type.`)
  return { type, kind: 'json' }
}

interface CallInput {
  readonly parameters: readonly string[]
  /** The object that a request is made of; null = none. */
  readonly fields: string | null
}

/** Arguments by position, and then the other fields: one agent alone, or an object. */
const inputOf = (row: Route, call: ClientCall): CallInput => {
  const fields = fieldsOf(row)
  const positional = call.positional ?? [...fields].filter(([, { required }]) => required).map(([name]) => name)
  for (const name of [...positional, ...Object.keys(call.fixed ?? {})])
    if (!fields.has(name)) throw new Error(`The call ${call.name} has the argument ${name}, and its row does not.`)
  const others = new Map([...fields].filter(([name]) => !positional.includes(name) && !(name in (call.fixed ?? {}))))
  const own = [
    ...pathNames(row).map((name) => `${name}: string`),
    ...positional.map((name) => `${name}${fields.get(name)?.required ? '' : '?'}: ${fields.get(name)?.type}`),
  ]
  const sent = [...positional, ...Object.entries(call.fixed ?? {}).map(([name, value]) => `${name}: '${value}'`)]
  if (others.size === 0) return { parameters: own, fields: objectText(sent) }
  if (call.options === undefined && [...others.keys()].join() === 'agent')
    return { parameters: [...own, 'agent?: string'], fields: objectText(['agent', ...sent]) }
  const required = call.requiresOptions || [...others.values()].some((field) => field.required)
  const options = `options: ${call.options ?? optionsType(others)}${required ? '' : ' = {}'}`
  const isBody = call.options !== undefined && !ofSession(row) && row.headers?.includes('Idempotency-Key')
  if (isBody)
    return { parameters: [...own, options, KEY_ALONE], fields: objectText(['...options', '...request', ...sent]) }
  return { parameters: [...own, options], fields: sent.length > 0 ? objectText(['...options', ...sent]) : 'options' }
}

/** A session to make is the whole body, so its key is an argument beside it. */
const KEY_ALONE = "request: Pick<ReasonOptions, 'idempotencyKey'> = {}"

const objectText = (parts: readonly string[]): string | null => (parts.length === 0 ? null : `{ ${parts.join(', ')} }`)

const ofSession = ({ path }: Route): boolean => path.includes('/sessions/:id')

interface Field {
  readonly type: string
  readonly required: boolean
}

const fieldsOf = (row: Route): ReadonlyMap<string, Field> => {
  const found = new Map<string, Field>()
  if (ofSession(row)) found.set('agent', { type: 'string', required: false })
  for (const schema of [row.query, row.body]) {
    if (!schema) continue
    const { properties = {}, required = [] } = requestSchema(schema) as {
      properties?: Record<string, JsonSchema>
      required?: string[]
    }
    for (const [name, field] of Object.entries(properties))
      found.set(name, { type: typeOf(field), required: required.includes(name) })
  }
  if (row.headers?.includes('Idempotency-Key')) found.set('idempotencyKey', { type: 'string', required: false })
  return found
}

const REASON = ['reason', 'actor', 'agent', 'idempotencyKey']

const optionsType = (fields: ReadonlyMap<string, Field>): string => {
  const missing = REASON.filter((name) => !fields.has(name))
  const isAct = fields.has('idempotencyKey')
  const own = [...fields].filter(([name]) => !isAct || !REASON.includes(name))
  const literal = `{ ${own.map(([name, { type, required }]) => `readonly ${name}${required ? '' : '?'}: ${type}`).join('; ')} }`
  const shared = missing.length > 0 ? `Omit<ReasonOptions, ${union(missing)}>` : 'ReasonOptions'
  if (!isAct) return literal
  return own.length > 0 ? `${shared} & ${literal}` : shared
}

const union = (values: readonly unknown[]): string => values.map((value) => `'${value}'`).join(' | ')

/** The type of the values that a caller gives. A cursor is a number of the log, or a number with an incarnation. */
const typeOf = (schema: JsonSchema): string => {
  const { type, title, enum: values, items, pattern } = schema as { readonly [name: string]: JsonSchema & string }
  if (title) return title
  if (Array.isArray(values)) return union(values)
  if (type === 'array') return `readonly (${typeOf(items as JsonSchema)})[]`
  if (type === 'string') return String(pattern).startsWith('^\\d') ? 'number | string' : 'string'
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'boolean' ? 'boolean' : type === 'object' ? 'FabricJsonObject' : 'FabricJson'
}

/** The parameters of the path; the name of an agent is called `agent`, as everywhere in the client. */
const pathNames = ({ path }: Route): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => (name === 'name' ? 'agent' : name))

const requestText = (row: Route, { fields }: CallInput, kind: AnswerKind): string => {
  const path = row.path
    .slice(1)
    .replaceAll(/:(\w+)/g, (_, name: string) => `\${pathSegment(${name === 'name' ? 'agent' : name})}`)
  const quoted = path.includes('$') ? `\`${path}\`` : `'${path}'`
  const method = row.method.toUpperCase()
  if (kind === 'none') return `call(${quoted}, { method: '${method}' }).then(() => {})`
  if (row.method !== 'get') return `${ofSession(row) ? 'act' : 'send'}('${method}', ${quoted}, ${fields ?? '{}'})`
  if (kind === 'json') return `get(${quoted}${fields === null ? '' : `, ${fields}`})`
  const address = fields === null ? quoted : `\`${path}\${queryText(${fields})}\``
  return kind === 'text' ? `call(${address}).then((response) => response.text())` : `call(${address})`
}

/** Files whose types a call may name. */
const typeFiles = [
  'surfaces/fabric/wire.ts',
  'surfaces/frontend/wire.ts',
  'surfaces/http/wire.ts',
  'client/fabric/request-options.ts',
]
const PLATFORM = new Set(['Promise', 'Response', 'Omit', 'Pick'])

const typeImports = (text: string): string => {
  const code = text.replaceAll(/\/\*\*.*\*\/|'[^']*'|`[^`]*`/g, '')
  const used = new Set((code.match(/\b[A-Z]\w+/g) ?? []).filter((name) => !PLATFORM.has(name)))
  const lines = typeFiles.flatMap((file) => {
    const names = exportedTypes(file).filter((name) => used.delete(name))
    const from = file.startsWith('client/fabric/') ? file.replace('client/fabric/', './') : `../../${file}`
    return names.length > 0 ? [`import type { ${names.toSorted().join(', ')} } from '${from}'\n`] : []
  })
  if (used.size > 0) throw new Error(`No file of types exports ${[...used].join(', ')}.`)
  return lines.join('')
}

const exportedTypes = (file: string): readonly string[] => {
  const text = readFileSync(source + file, 'utf8')
  const parts = [...text.matchAll(/^export type \* from '\.\/(.*)'/gm)].map(([, part = '']) => part)
  return [
    ...[...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name),
    ...parts.flatMap((part) => exportedTypes(`${file.slice(0, file.lastIndexOf('/'))}/${part}`)),
  ]
}
