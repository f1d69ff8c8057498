// Generates the calls of `fabricClient` that are a single request, from the route table (`npm run docs`). A row names its call; parameters
// and types come from the path, the schemas of query and body, and the answers. A schema with a title becomes a type of that name, with
// the descriptions of its fields.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { httpWires } from '@bridle/surfaces/all'
import { routeTable } from '@bridle/surfaces/app'
import type { AnswerDescription } from '@bridle/surfaces/http/answers/answer-schema'
import { type JsonSchema, requestSchema } from '@bridle/surfaces/http/openapi/json-schemas'
import { sharedParameters } from '@bridle/surfaces/http/openapi/parameters'
import { reasonFields } from '@bridle/surfaces/http/requests/request-fields'
import type { ClientCall, Route } from '@bridle/surfaces/http/router/route'
import { getTitle, looseObject } from 'valibot'
import { packageFile, root } from './source-files.ts'

export const callsFile = join(root, packageFile('client/fabric/calls.generated.ts'))

export const clientCalls = (rows: readonly Route[] = routeTable(httpWires)): string => {
  const calls = rows.flatMap((row) => (row.call === undefined ? [] : [{ row, call: clientCall(row.call) }]))
  const sorted = calls.toSorted((a, b) => (a.call.name < b.call.name ? -1 : 1))
  const types = optionTypes(sorted)
  const text = sorted.map(({ row, call }) => writtenCall(row, call)).join('\n')
  return `// Written by \`npm run docs\` from the rows of the routes: change a row, not this file.
${typeImports(types + text)}import { pathSegment, queryText, type Requests } from './requests.ts'

${types}/** The calls that are one request each. \`agent\` is needed where several agents have a session of the id. */
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
  const positional = positionalOf(fields, call)
  for (const name of [...positional, ...Object.keys(call.fixed ?? {})])
    if (!fields.has(name)) throw new Error(`The call ${call.name} has the argument ${name}, and its row does not.`)
  const others = otherFields(fields, call)
  const own = [
    ...pathNames(row).map((name) => `${name}: string`),
    ...positional.map((name) => `${name}${fields.get(name)?.required ? '' : '?'}: ${fields.get(name)?.type}`),
  ]
  const sent = [...positional, ...Object.entries(call.fixed ?? {}).map(([name, value]) => `${name}: '${value}'`)]
  if (others.size === 0) return { parameters: own, fields: objectText(sent) }
  const named = call.options ?? optionsTitle(row)
  if (named === undefined && [...others.keys()].join() === 'agent')
    return { parameters: [...own, 'agent?: string'], fields: objectText(['agent', ...sent]) }
  const required = call.requiresOptions || [...others.values()].some((field) => field.required)
  const options = `options: ${named ?? optionsType(others)}${required ? '' : ' = {}'}`
  if (isWholeBody(row))
    return { parameters: [...own, options, KEY_ALONE], fields: objectText(['...options', '...request', ...sent]) }
  return { parameters: [...own, options], fields: sent.length > 0 ? objectText(['...options', ...sent]) : 'options' }
}

const positionalOf = (fields: Fields, { positional }: ClientCall): readonly string[] =>
  positional ?? [...fields].filter(([, { required }]) => required).map(([name]) => name)

/** The fields that become options, and not arguments. */
const otherFields = (fields: Fields, call: ClientCall): Map<string, Field> => {
  const left = [...positionalOf(fields, call), ...(call.omits ?? []), ...Object.keys(call.fixed ?? {})]
  return new Map([...fields].filter(([name]) => !left.includes(name)))
}

const optionsTitle = (row: Route): string | undefined => schemasOf(row).find(({ title }) => title)?.title

const isWholeBody = (row: Route): boolean =>
  optionsTitle(row) !== undefined && !ofSession(row) && row.headers?.includes('Idempotency-Key') === true

/** A session to make is the whole body, so its key is an argument beside it. */
const KEY_ALONE = "request: Pick<ReasonOptions, 'idempotencyKey'> = {}"

const objectText = (parts: readonly string[]): string | null => (parts.length === 0 ? null : `{ ${parts.join(', ')} }`)

const ofSession = ({ path }: Route): boolean => path.includes('/sessions/:id')

interface Field {
  readonly type: string
  readonly required: boolean
  readonly description?: string | undefined
}

type Fields = ReadonlyMap<string, Field>

const fieldsOf = (row: Route): Fields =>
  new Map([
    ...(ofSession(row) ? [['agent', AGENT] as const] : []),
    ...schemasOf(row).flatMap((schema) => [...propertiesOf(schema)]),
    ...(row.headers?.includes('Idempotency-Key') ? [['idempotencyKey', KEY] as const] : []),
  ])

/** A JSON Schema, as far as it is of an object. */
interface ObjectSchema extends JsonSchema {
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, ObjectSchema>>
  readonly required?: readonly string[]
}

const schemasOf = ({ query, body }: Route): readonly ObjectSchema[] =>
  [query, body].flatMap((schema) => (schema ? [requestSchema(schema)] : []))

const propertiesOf = ({ properties = {}, required = [] }: ObjectSchema): Fields => {
  const fields = Object.entries(properties).map(
    ([name, field]) =>
      [name, { type: typeOf(field), required: required.includes(name), description: field.description }] as const,
  )
  return new Map(fields)
}

const sharedField = (name: string): Field => ({
  type: 'string',
  required: false,
  description: sharedParameters[name]?.description as string,
})
const AGENT = sharedField('agent')
const KEY = sharedField('Idempotency-Key')

interface OptionType {
  readonly description?: string
  readonly fields: Fields
  /** The fields of `ReasonOptions` are not among them, or mean something else. */
  readonly isWhole: boolean
}

/** Types that several rows name have the fields of all of them. A field is required if it is in every row. */
const optionTypes = (calls: readonly { readonly row: Route; readonly call: ClientCall }[]): string => {
  const found = new Map<string, OptionType>([['ReasonOptions', reasonOptions()]])
  const add = (name: string, type: OptionType): void => {
    const fields = found.get(name)?.fields ?? type.fields
    const merged = [...fields, ...type.fields].map(([field, value]) => {
      const required = [fields, type.fields].every((each) => each.get(field)?.required)
      return [field, { ...value, required }] as const
    })
    found.set(name, { ...type, fields: new Map(merged) })
  }
  const addWithin = (schema: ObjectSchema): void => {
    for (const property of Object.values(schema.properties ?? {})) {
      addWithin(property)
      if (property.title) add(property.title, { ...property, fields: propertiesOf(property), isWhole: true })
    }
  }
  for (const { row, call } of calls) {
    const isWhole = isWholeBody(row)
    const fields = otherFields(fieldsOf(row), call)
    if (isWhole) fields.delete('idempotencyKey')
    for (const schema of schemasOf(row)) {
      addWithin(schema)
      if (schema.title) add(schema.title, { ...schema, fields, isWhole })
    }
  }
  return [...found].toSorted().map(writtenType).join('')
}

const reasonOptions = (): OptionType => ({
  description: 'Fields that every act of an operator accepts. The audit log records them.',
  fields: new Map([
    ...propertiesOf(requestSchema(looseObject(reasonFields))),
    ['agent', AGENT],
    ['idempotencyKey', KEY],
  ]),
  isWhole: true,
})

const writtenType = ([name, { description, fields, isWhole }]: readonly [string, OptionType]): string => {
  const shared = isWhole ? null : sharedOptions(fields)
  const base = shared === null ? '' : ` extends ${shared}`
  return `${comment(description)}export interface ${name}${base} ${block(shared === null ? fields : ownOptions(fields))}\n\n`
}

const comment = (text: string | undefined): string => (text === undefined ? '' : `/** ${text} */\n`)

/** The fields with their comments, in lines of their own. */
const block = (fields: Fields): string => {
  const lines = [...fields].map(([name, field]) => `${comment(field.description)}${property([name, field])}\n`)
  return `{\n${lines.join('').replaceAll(/^(?=.)/gm, '  ')}}`
}

const property = ([name, { type, required }]: readonly [string, Field]): string =>
  `readonly ${name}${required ? '' : '?'}: ${type}`

const REASON = ['reason', 'actor', 'agent', 'idempotencyKey']

const optionsType = (fields: Fields): string => {
  const shared = sharedOptions(fields)
  const own = shared === null ? fields : ownOptions(fields)
  const literal = `{ ${[...own].map(property).join('; ')} }`
  if (shared === null) return literal
  return own.size > 0 ? `${shared} & ${literal}` : shared
}

/** The part of `ReasonOptions` that the fields have. Null: these are not the fields of an act. */
const sharedOptions = (fields: Fields): string | null => {
  if (!fields.has('idempotencyKey')) return null
  const missing = REASON.filter((name) => !fields.has(name))
  return missing.length > 0 ? `Omit<ReasonOptions, ${union(missing)}>` : 'ReasonOptions'
}

const ownOptions = (fields: Fields): Fields => new Map([...fields].filter(([name]) => !REASON.includes(name)))

const union = (values: readonly unknown[]): string => values.map((value) => `'${value}'`).join(' | ')

/** The type of the values that a caller gives. A cursor is a number of the log, or a number with an incarnation. */
const typeOf = (schema: JsonSchema): string => {
  const {
    type,
    title,
    enum: values,
    anyOf,
    items,
    pattern,
  } = schema as { readonly [name: string]: JsonSchema & string }
  if (title) return title
  if (Array.isArray(values)) return enumType(values)
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' | ')
  if (type === 'array') return `readonly (${typeOf(items as JsonSchema)})[]`
  if (type === 'string') return String(pattern).startsWith('^\\d') ? 'number | string' : 'string'
  if (type === 'object') return objectType(schema)
  return simpleTypes[type as string] ?? 'FabricJson'
}

const objectType = (schema: ObjectSchema): string => {
  if (schema.properties) return block(propertiesOf(schema))
  const { additionalProperties: value } = schema
  return typeof value === 'object' && value !== null
    ? `{ readonly [name: string]: ${typeOf(value as JsonSchema)} }`
    : 'FabricJsonObject'
}

const simpleTypes: Readonly<Record<string, string>> = {
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** A flag of a query is text there, and a boolean for a caller. */
const enumType = (values: readonly unknown[]): string => {
  if (!values.includes('true')) return union(values)
  return [
    'boolean',
    ...values.filter((value) => value !== 'true' && value !== 'false').map((value) => `'${value}'`),
  ].join(' | ')
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
  'wire/fabric/wire.ts',
  'wire/frontend/wire.ts',
  'wire/http/wire.ts',
  'client/fabric/request-options.ts',
]
const PLATFORM = new Set(['Promise', 'Response', 'Omit', 'Pick'])

const typeImports = (text: string): string => {
  const code = text.replaceAll(/\/\*\*.*\*\/|'[^']*'|`[^`]*`/g, '')
  const own = new Set([...code.matchAll(/^export interface (\w+)/gm)].map(([, name]) => name))
  const used = new Set((code.match(/\b[A-Z]\w+/g) ?? []).filter((name) => !PLATFORM.has(name) && !own.has(name)))
  const lines = typeFiles.flatMap((file) => {
    const names = exportedTypes(file).filter((name) => used.delete(name))
    const from = file.startsWith('client/fabric/')
      ? file.replace('client/fabric/', './')
      : `@bridle/${file.replace('.ts', '')}`
    return names.length > 0 ? [`import type { ${names.toSorted().join(', ')} } from '${from}'\n`] : []
  })
  if (used.size > 0) throw new Error(`No file of types exports ${[...used].join(', ')}.`)
  return lines.join('')
}

const exportedTypes = (file: string): readonly string[] => {
  const text = readFileSync(join(root, packageFile(file)), 'utf8')
  const parts = [...text.matchAll(/^export type \* from '\.\/(.*)'/gm)].map(([, part = '']) => part)
  return [
    ...[...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name),
    ...parts.flatMap((part) => exportedTypes(`${file.slice(0, file.lastIndexOf('/'))}/${part}`)),
  ]
}
