// /openapi.json says of every operation what a caller needs, and what it says is true.
import { describe, expect, test } from 'vitest'
import { httpWires } from '../../all.ts'
import { routeTable } from '../../app.ts'
import { problemWith } from '../answers/declared-answers.suite.ts'
import { isDenial } from '../denials/denial.ts'
import { parseInput } from '../requests/parse-input.ts'
import { unknownFields } from '../requests/warnings.ts'
import { testApp } from '../test-app.suite.ts'
import { isDescribed, openapiDocument } from './document.ts'
import { requestExample } from './request-examples.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly type?: string; readonly minimum?: number; readonly maximum?: number }
}
interface Media {
  readonly schema: object
  readonly example: unknown
}
interface OperationResponse {
  readonly description: string
  readonly content?: Readonly<Record<string, Media>>
}
interface Operation {
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly operationId: string
  readonly parameters: readonly (Parameter | { readonly $ref: string })[]
  readonly responses: Readonly<Record<string, OperationResponse | { readonly $ref: string }>>
}

const rows = routeTable(httpWires)
const document = JSON.parse(JSON.stringify(openapiDocument(rows))) as ReturnType<typeof openapiDocument>
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation as Operation] as const),
)
const resolve = <T>(value: T | { readonly $ref: string }): T => {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  const [, , kind, name] = value.$ref.split('/') as ['#', 'components', 'parameters' | 'responses', string]
  return document.components[kind][name] as T
}
const operationOf = (name: string): Operation => {
  const found = operations.find(([each]) => each === name)
  if (!found) throw new Error(`There is no ${name}.`)
  return found[1]
}
const parametersOf = (name: string): Parameter[] => operationOf(name).parameters.map((each) => resolve<Parameter>(each))
const namesIn = (name: string, place: string): string[] =>
  parametersOf(name).flatMap((each) => (each.in === place ? [each.name] : []))

describe('[H25] every operation', () => {
  test.each(operations)(
    '%s has a tag, its security, errors, and a schema and an example for each answer',
    (_name, operation) => {
      const { tags, security, responses } = operation
      expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...tags]))
      expect(tags).toHaveLength(1)
      expect(security).toBeInstanceOf(Array)
      const statuses = Object.keys(responses)
      expect(statuses.some((status) => status.startsWith('4'))).toBe(true)
      for (const status of statuses) {
        const { description, content } = resolve<OperationResponse>(responses[status] as OperationResponse)
        expect(description).not.toBe('')
        if (['101', '304'].includes(status)) continue
        // An answer has one type, or is JSON and a stream for those who accept one.
        const both = Object.keys(content ?? {}).slice(1)
        expect([status, Object.keys(content ?? {})]).toEqual([status, [expect.stringMatching(/\//), ...both]])
        expect(both.every((type) => type === 'text/event-stream')).toBe(true)
        for (const { schema, example } of Object.values(content ?? {})) {
          expect(Object.keys(schema)).not.toEqual([])
          expect(example).toBeDefined()
        }
      }
    },
  )

  test('has a name of its own', () => {
    const ids = operations.map(([, { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('has only references that lead somewhere, and every component is used', () => {
    const text = JSON.stringify(document)
    const used = new Set([...text.matchAll(/"#\/components\/(\w+\/[\w-]+)"/g)].map(([, name]) => name))
    const { securitySchemes: _schemes, ...components } = document.components
    const there = Object.entries(components).flatMap(([kind, all]) => Object.keys(all).map((name) => `${kind}/${name}`))
    expect([...used].toSorted()).toEqual(there.toSorted())
  })
})

describe('[H25] what callers may send', () => {
  test('a limit is a whole number with its bounds', () => {
    const bounds = operations.flatMap(([name]) =>
      parametersOf(name).flatMap((each) => (each.name === 'limit' ? [[name, each.schema]] : [])),
    )
    expect(bounds).toEqual([
      ['get /sessions', { type: 'integer', minimum: 1, maximum: 500 }],
      ['get /approvals', { type: 'integer', minimum: 1, maximum: 500 }],
      ['get /sessions/{id}/audit', { type: 'integer', minimum: 1, maximum: 200 }],
      ['get /sessions/{id}/channel', { type: 'integer', minimum: 1, maximum: 100 }],
      ['get /sessions/{id}/log', { type: 'integer', minimum: 1, maximum: 2000 }],
      ['get /agents/{name}/{id}', { type: 'integer', minimum: 1, maximum: 50_000 }],
    ])
  })

  test('headers, where the route reads them', () => {
    const readers = (header: string) =>
      operations.map(([name]) => name).filter((name) => namesIn(name, 'header').includes(header))
    expect(namesIn('post /agents/{name}/{id}', 'header')).toEqual([
      'X-Fabric-Tenant',
      'Idempotency-Key',
      'Prefer',
      'X-Correlation-ID',
    ])
    expect(readers('Prefer')).toEqual(['post /agents/{name}/{id}'])
    expect(readers('Range')).toEqual(['get /sessions/{id}/artifacts/{artifactId}'])
    expect(readers('Last-Event-ID')).toEqual(
      operations.flatMap(([name]) =>
        name.endsWith('/openharness') || (name.startsWith('get') && /\/(events|stream)$/.test(name)) ? [name] : [],
      ),
    )
    expect(readers('If-None-Match')).toEqual([
      'get /sessions/{id}',
      'get /sessions/{id}/artifacts/{artifactId}',
      'get /agents/{name}/{id}',
      'get /chat/sessions/{id}',
    ])
  })

  test('?agent= wherever a session is found by its id', () => {
    const without = operations.flatMap(([name]) =>
      name.includes('/sessions/{id}') && !namesIn(name, 'query').includes('agent') ? [name] : [],
    )
    expect(without).toEqual([])
  })

  const workspace = ['workspace', 'workspace_mode']
  test.each([
    [
      'get /ws',
      ['userId', 'sessionId', 'agent', 'after', 'approvals', 'marks', ...workspace, 'token', 'ticket', 'tenant'],
    ],
    ['get /sessions/{id}/ws', ['after', 'replay', ...workspace, 'agent', 'token', 'ticket', 'tenant']],
    ['get /sessions/{id}/events', ['after', 'replay', 'agent', 'token', 'ticket', 'tenant']],
  ])('%s takes %j in its query', (name, names) => expect(namesIn(name, 'query')).toEqual(names))
})

describe('[H25] what the server answers', () => {
  test('[OH123] streams are text/event-stream, and say what their frames hold', () => {
    const streams = operations.flatMap(([name, { responses }]) => {
      const { content = {} } = resolve<OperationResponse>(responses[200] ?? { description: '' })
      const { schema } = content['text/event-stream'] ?? {}
      return schema
        ? [[name, (schema as { contentSchema: { $ref: string } }).contentSchema.$ref.split('/').at(-1)]]
        : []
    })
    expect(streams).toEqual([
      ['get /agents/{name}/{id}/stream', 'AgentEvent'],
      ['get /sessions/{id}/events', 'AgentEvent'],
      ['post /chat/sessions/{id}/turns', 'StreamEnvelope'],
      ['get /chat/sessions/{id}/events/stream', 'StreamEnvelope'],
      ['get /sessions/{id}/events/stream', 'StreamEnvelope'],
      ['get /sessions/{id}/health/stream', 'HealthEnvelope'],
      ['post /v1/openharness', 'OpenHarnessStreamFrame'],
      ['post /openharness', 'OpenHarnessStreamFrame'],
      ['get /changes', 'TenantChange'],
    ])
  })

  test('only the probes are open', () => {
    const open = operations.flatMap(([name, { security }]) => (security.length === 0 ? [name] : []))
    expect(open).toEqual(['get /health', 'get /ready'])
  })

  test('every example is an answer', () => {
    const problems = rows.filter(isDescribed).flatMap(({ method, path, answers }) =>
      Object.entries(answers).flatMap(([status, { body }]) => {
        if (body?.contentType !== 'application/json') return []
        const problem = problemWith(body.schema, body.example)
        return problem === null || path === '/openapi.json' ? [] : [`${method} ${path} ${status}: ${problem}`]
      }),
    )
    expect(problems).toEqual([])
  })

  test('an answer with a description describes each of its fields', () => {
    interface Component {
      readonly description?: string
      readonly properties?: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>
    }
    // The messages of OpenHarness have a document of their own.
    const { schemas } = openapiDocument(rows.filter(({ path }) => !path.endsWith('/openharness'))).components
    const components = Object.entries(schemas as Readonly<Record<string, Component>>)
    const described = components.filter(([, { description, properties }]) => description && properties)
    expect(described.length).toBeGreaterThan(40)
    const missing = described.flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, { $ref, description }]) =>
        $ref || description ? [] : [`${name}.${field}`],
      ),
    )
    expect(missing).toEqual([])
  })

  test('the server is where the caller reaches it', async () => {
    const { get } = testApp({ authToken: 'secret' })
    const authorization = 'Bearer secret'
    expect((await get('/openapi.json', { authorization })).body.servers).toEqual([{ url: '/' }])
    const behindProxy = await get('/openapi.json', { authorization, 'x-forwarded-prefix': '/bridle' })
    expect(behindProxy.body.servers).toEqual([{ url: '/bridle' }])
  })
})

test('[H174] each JSON body has an example, which its route takes without a warning', () => {
  const taking = rows.filter((row) => row.body && isDescribed(row))
  expect(taking.length).toBeGreaterThan(15)
  for (const row of taking) {
    const name = `${row.method} ${row.path}`
    const example = requestExample(row) ?? expect.fail(`${name} has no example.`)
    const taken = parseInput(row.body as NonNullable<typeof row.body>, example, 'body')
    expect([name, isDenial(taken) ? taken.message : null]).toEqual([name, null])
    expect([name, unknownFields(row.body, example)]).toEqual([name, []])
    const { requestBody } = operationOf(name.replaceAll(/:(\w+)/g, '{$1}')) as { requestBody?: { content: object } }
    expect(requestBody?.content).toMatchObject({ 'application/json': { example } })
  }
})
