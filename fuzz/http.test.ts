// Every route of /openapi.json, as the server itself describes it, with paths, queries, headers and bodies made from there.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdsForAll } from './budget.ts'
import { bodyText, HOSTILE_WORDS } from './hostile.ts'
import { type JsonSchema, validValues } from './json-schema.ts'
import { expectErrorBody, expectNoInternals, expectPrototypesUnchanged, fetchWithRetry } from './promises.ts'
import { FuzzWorld, TOKEN, WORDS } from './world.ts'

interface RouteOperation {
  readonly method: string
  readonly path: string
  readonly query: readonly { readonly name: string; readonly schema: JsonSchema }[]
  readonly body: JsonSchema | null
}

interface FuzzedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

const world = new FuzzWorld()
let operations: readonly RouteOperation[]
beforeAll(async () => {
  await world.start()
  operations = await described()
})
afterAll(() => world.end())

test('no request makes the server fail, tell of its inside, or touch what is not the caller’s', async () => {
  await holdsForAll(fc.oneof(...operations.map(asked)), async (request) => {
    const { status, type, text } = await answered(request)
    tellsNothingInsideUnlessOwn(status, text)
    if (status < 400) return
    expect(type, `${request.method} ${request.path}`).toMatch(/^application\/json/)
    const body = JSON.parse(text)
    expectErrorBody(body)
    // A failed run has this shape too; that is the caller's run, not a fault of the server.
    if (status === 500)
      expect(body).toMatchObject({ agentPath: expect.any(String), error: { reason: expect.anything() } })
    else expect([400, 401, 403, 404, 405, 409, 410, 413, 415, 421, 422, 426, 429, 431, 501, 503]).toContain(status)
    expectPrototypesUnchanged()
  })
  await world.check()
  await world.reopen()
})

/** A session's detail names its own workspace folder, which its caller may know. */
const tellsNothingInsideUnlessOwn = (status: number, text: string): void => {
  if (status >= 400) expectNoInternals(text)
  else expect(text).not.toMatch(/\n\s+at |node:internal/)
}

const described = async (): Promise<RouteOperation[]> => {
  const response = await fetch(`${world.url}/openapi.json`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const { paths, components } = (await response.json()) as OpenApiDocument
  const resolve = (parameter: OpenApiParameter | { readonly $ref: string }): OpenApiParameter =>
    '$ref' in parameter
      ? (components.parameters[parameter.$ref.split('/').at(-1) ?? ''] as OpenApiParameter)
      : parameter
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      query: parameters
        .map(resolve)
        .filter((parameter) => parameter.in === 'query' && !CREDENTIALS.has(parameter.name)),
      body: requestBody?.content['application/json']?.schema ?? null,
    })),
  )
}

/** Wrong ones refuse the request before anything else is looked at; the headers bring some of them. */
const CREDENTIALS: ReadonlySet<string> = new Set(['token', 'ticket', 'tenant'])

interface OpenApiDocument {
  readonly paths: Record<string, Record<string, OpenApiOperation>>
  readonly components: { readonly parameters: Record<string, OpenApiParameter> }
}

interface OpenApiParameter {
  readonly name: string
  readonly in: string
  readonly schema: JsonSchema
}

interface OpenApiOperation {
  readonly parameters: readonly (OpenApiParameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly content: { readonly 'application/json'?: { readonly schema: JsonSchema } } }
}

/** Mostly an existing session, so that the code behind the first check runs. */
const segment: { readonly [name: string]: fc.Arbitrary<string> } = {
  name: fc.oneof({ weight: 6, arbitrary: fc.constant('scripted') }, fc.constantFrom('claude', ...HOSTILE_WORDS)),
  id: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('s1', 's2', 's3', 'bystander') },
    fc.constantFrom(...HOSTILE_WORDS),
  ),
}
const word = fc.constantFrom(...WORDS, ...HOSTILE_WORDS)

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Once or twice over: a second decoding would find what the first has hidden. */
const inPath = fc.constantFrom(encoded, (text: string) => encodeURIComponent(encoded(text)))

const asked = ({ method, path, query, body }: RouteOperation): fc.Arbitrary<FuzzedRequest> => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const values = fc.record(Object.fromEntries(names.map((name) => [name, segment[name] ?? word])))
  const params = fc.record(
    Object.fromEntries(query.map(({ name, schema }) => [name, fc.oneof(validValues(schema, WORDS), word)])),
    { requiredKeys: [] },
  )
  const contents = body ? bodyText(body, [...WORDS, ...HOSTILE_WORDS]) : fc.constant(null)
  return fc.tuple(values, params, headers, contents, inPath).map(([filled, search, given, content, encode]) => ({
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encode(filled[name] ?? '')) + searchOf(search),
    headers: given,
    body: content,
  }))
}

const searchOf = (params: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(params).map(([name, value]) => `${encoded(name)}=${encoded(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&').slice(0, 8_000)}`
}

const headers = fc
  .record(
    {
      authorization: fc.oneof(
        { weight: 12, arbitrary: fc.constant(`Bearer ${TOKEN}`) },
        fc.constantFrom('', 'Bearer', 'Bearer x', 'Basic eDp4', 'Bearer token-of-bystander-9'),
      ),
      'idempotency-key': fc.constantFrom('k1', 'k2', '..', '__proto__', 'x'.repeat(300)),
      'x-fabric-tenant': fc.constantFrom('fuzzed', 'bystander-1', '..', '__proto__', ''),
      'x-correlation-id': fc.constantFrom('c1', '../..', 'x'.repeat(500)),
      'last-event-id': fc.constantFrom('1', '-1', '99999999', 'x'),
      'content-type': fc.constantFrom('application/json', 'text/plain', 'multipart/form-data'),
      accept: fc.constantFrom('*/*', 'text/event-stream', 'text/html'),
      origin: fc.constantFrom('null', 'http://evil.example'),
      // An answer that waits for the end of a run would only make the test wait.
      prefer: fc.constant('respond-async'),
    },
    { requiredKeys: ['authorization', 'prefer'] },
  )
  // Rare: these two make the server refuse the request before it checks anything else.
  .chain((all) =>
    fc.integer({ min: 0, max: 9 }).map((chance) => {
      const { origin, 'x-fabric-tenant': tenant, ...rest } = all
      return chance === 0
        ? (all as Record<string, string>)
        : { ...rest, ...(tenant === 'fuzzed' && { 'x-fabric-tenant': tenant }) }
    }),
  )

/** Closes a stream as soon as it has begun. */
const answered = async ({ method, path, headers: given, body }: FuzzedRequest) => {
  const leave = new AbortController()
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >
  const response = await fetchWithRetry(`${world.url}${path}`, {
    method,
    headers: present,
    signal: AbortSignal.any([leave.signal, AbortSignal.timeout(20_000)]),
    ...(body !== null && method !== 'GET' && { body: Buffer.from(body) }),
  })
  const type = response.headers.get('content-type') ?? ''
  const text = type.startsWith('text/event-stream') ? '' : await response.text()
  leave.abort()
  return { status: response.status, type, text }
}
