// Our definitions and the normative draft accept the same messages.
import { globSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isMessage, messageSchema } from './definitions.ts'
import { accepts, type DraftSchema } from './json-schema.suite.ts'

const folder = `${import.meta.dirname}/fixtures`
const read = (file: string): unknown => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))
const draft = read('openharness-v1.draft.json') as DraftSchema
const golden = globSync('*-{request,response}*.json', { cwd: folder }).sort()
const exported = messageSchema()

/** Three verdicts on a message: of the draft, of our definitions, and of the schema that we publish. */
const verdicts = (value: unknown) => [accepts(draft, value), isMessage(value), accepts(exported, value)]

describe('[OH1] the definitions and the draft accept the same messages', () => {
  test.each(golden)('the golden message %s', (file) => {
    expect(verdicts(read(file))).toEqual([true, true, true])
  })
  test('there are golden messages of both kinds', () => expect(golden).toHaveLength(9))

  const request = (more: object = {}, payload: unknown = {}) => ({
    protocol_version: '1.0.0',
    request: payload,
    ...more,
  })
  const inContext = (context: unknown) => request({}, { context })
  const success = { status: 'success' }
  const response = (payload: unknown = success, more: object = {}) => ({
    protocol_version: '1.0.0',
    response: payload,
    ...more,
  })
  const directive = (fields: unknown) => response({ ...success, action_directives: [fields] })

  test.each<[string, boolean, unknown]>([
    ['the smallest request', true, request()],
    ['the smallest response', true, response()],
    ['both', false, { ...request(), ...response() }],
    ['a request and a response that is none', true, { ...request(), response: { status: 'odd' } }],
    ['a request with ill-typed fields of a response', true, request({ supported_protocol_versions: 'x' })],
    ['a response with ill-typed fields of a request', true, response(success, { capabilities: 7 })],
    ['neither', false, { protocol_version: '1.0.0' }],
    ['no version', false, { request: {} }],
    ['[OH2] leading zeros', true, request({ protocol_version: '01.0.0' })],
    ['[OH2] a prerelease and a build', true, request({ protocol_version: '1.0.0-a.b+c-d' })],
    ['[OH2] an empty prerelease', false, request({ protocol_version: '1.0.0-' })],
    ['[OH2] two numbers', false, request({ protocol_version: '1.0' })],
    ['[OH2] a v before it', false, request({ protocol_version: 'v1.0.0' })],
    ['[OH2] a line end behind it', false, request({ protocol_version: '1.0.0\n' })],
    ['[OH2] a number', false, request({ protocol_version: 1 })],
    [
      '[OH3] unknown fields at every level',
      true,
      {
        ...request(
          { x: null },
          { x: null, auth: { x: null }, context: { x: null, shell: { x: null }, attachments: [{ x: null }] } },
        ),
        extra: [],
      },
    ],
    ['[OH4] null for an id', false, request({ request_id: null })],
    ['[OH4] null for the request', false, request({}, null)],
    ['[OH4] null for a context', false, inContext(null)],
    ['[OH4] null for a text', false, inContext({ user_intent: null })],
    ['[OH4] null for a payload', false, directive({ action_type: 'noop', payload: null })],
    ['an empty id', false, request({ request_id: '' })],
    ['an array for the request', false, request({}, [])],
    ['an array for capabilities', false, request({ capabilities: [] })],
    ['an array for extensions', false, request({}, { extensions: [] })],
    ['an array for a state', false, inContext({ environment_state: [] })],
    ['an unlisted tier', false, inContext({ environment_state: { privacy_tier: 'odd' } })],
    ['a structured intent', false, inContext({ user_intent: {} })],
    ['an attachment without a reference', true, inContext({ attachments: [{}] })],
    ['a text for attachments', false, inContext({ attachments: 'x' })],
    ['a size with a fraction', false, inContext({ attachments: [{ size_bytes: 1.5 }] })],
    ['a size below zero', false, inContext({ attachments: [{ size_bytes: -1 }] })],
    ['an empty shell kind', false, inContext({ shell: { shell_kind: '' } })],
    ['a directive without a type', false, directive({})],
    ['an unlisted priority', false, directive({ action_type: 'a', priority: 'urgent' })],
    ['a payload that is a text', false, directive({ action_type: 'a', payload: 'x' })],
    ['a payload that is an array', false, directive({ action_type: 'a', payload: [] })],
    ['a fraction of latency', true, response({ status: 'error', engine_latency_ms: 0.5 })],
    ['latency below zero', false, response({ status: 'error', engine_latency_ms: -0.5 })],
    ['an error beside success', true, response({ ...success, error: { code: 'x' } })],
    ['an error without a code', false, response({ status: 'error', error: {} })],
    ['a denial without a capability', false, response(success, { capability_denials: [{}] })],
    ['an array', false, []],
    ['a text', false, 'x'],
    ['null', false, null],
  ])('%s: %s', (_name, isAccepted, value) => {
    expect(verdicts(value)).toEqual([isAccepted, isAccepted, isAccepted])
  })

  test('generated messages, valid in most of their fields', () => {
    let accepted = 0
    fc.assert(
      fc.property(messages, (value) => {
        const [first, ...others] = verdicts(value)
        if (first) accepted++
        expect(others).toEqual([first, first])
      }),
      { numRuns: 2_000 },
    )
    // Both verdicts must be common, else the comparison says little.
    expect(accepted).toBeGreaterThan(200)
    expect(accepted).toBeLessThan(1_800)
  })
})

test('[OH1] the published schema has the names of the draft', () => {
  expect(Object.keys(exported.$defs)).toEqual(expect.arrayContaining(Object.keys(draft.$defs as object)))
})

/** Values of a schema of the draft, with now and then another value in place of one, and at times an unknown field. */
const valuesOf = (schema: DraftSchema): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 60, arbitrary: validValuesOf(schema) }, { weight: 1, arbitrary: odd })

const odd = fc.constantFrom<unknown>(null, 0, -1, 1.5, '', 'x', true, [], {}, [null], '1.0', '01.2.3', 'public', 'safe')

const validValuesOf = (schema: DraftSchema): fc.Arbitrary<unknown> => {
  const { $ref, type, items, properties, required, pattern } = schema
  if (typeof $ref === 'string')
    return valuesOf((draft.$defs as Record<string, DraftSchema>)[$ref.replace('#/$defs/', '')] as DraftSchema)
  if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]))
  if (type === 'array') return fc.array(valuesOf(items as DraftSchema), { maxLength: 2 })
  if (type === 'integer') return fc.nat()
  if (type === 'number') return fc.double({ min: 0, noNaN: true })
  if (type === 'boolean') return fc.boolean()
  if (type === 'string')
    return typeof pattern === 'string' ? fc.stringMatching(new RegExp(pattern)) : fc.string({ minLength: 1 })
  const fields = Object.entries((properties ?? {}) as Record<string, DraftSchema>)
  const requiredKeys = (required ?? []) as string[]
  const known = fc.record(Object.fromEntries(fields.map(([name, inner]) => [name, valuesOf(inner)])), { requiredKeys })
  return fc.tuple(known, fc.dictionary(fc.string(), odd, { maxKeys: 1 })).map(([own, more]) => ({ ...more, ...own }))
}

const [requests, responses] = (draft.oneOf as DraftSchema[]).map(valuesOf) as [
  fc.Arbitrary<unknown>,
  fc.Arbitrary<unknown>,
]
const messages = fc.oneof(
  { weight: 5, arbitrary: requests },
  { weight: 5, arbitrary: responses },
  {
    weight: 1,
    arbitrary: fc.tuple(requests, responses).map(([one, other]) => ({ ...(one as object), ...(other as object) })),
  },
)
