import { describe, expect, test } from 'vitest'
import type { JsonRecord } from '../card-approval.ts'
import { type FieldDraft, formAnswer, initialForm, turnedForm, WHOLE_FORM, withField } from './form-draft.ts'

const schema: JsonRecord = {
  type: 'object',
  required: ['environment', 'replicas'],
  properties: {
    environment: { type: 'string', enum: ['staging-eu', 'staging-us'] },
    replicas: { type: 'integer', minimum: 1, maximum: 8 },
    share: { type: 'number', minimum: 0 },
    host: { type: 'string', maxLength: 8 },
    mail: { type: 'string', format: 'email' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    keep: { type: 'boolean', default: true },
    checks: { type: 'array', items: { enum: ['lint', 'types'] }, maxItems: 1 },
    limits: { type: 'object', properties: { cpu: { type: 'number' } } },
  },
}
const filled = (fields: { readonly [name: string]: FieldDraft }) =>
  Object.entries(fields).reduce((draft, [name, value]) => withField(draft, name, value), initialForm(schema, undefined))

describe('[C417] the values of a form', () => {
  test('wait for the required fields; the defaults of fields are in them', () => {
    expect(formAnswer(schema, initialForm(schema, undefined))).toEqual({
      given: undefined,
      missing: 2,
      problems: new Map(),
    })
    expect(formAnswer(schema, filled({ environment: 'staging-eu', replicas: '3' })).given).toEqual({
      environment: 'staging-eu',
      replicas: 3,
      keep: true,
    })
  })

  test('each kind of field gives its kind of value', () => {
    const at = new Date(2026, 10, 19, 18, 30)
    const draft = filled({
      ...{ environment: 'staging-us', replicas: ' 8 ', share: '0.5', host: 'a.test', mail: 'a@b.test' },
      ...{ day: '2026-11-19', at: '2026-11-19T18:30', keep: false, checks: ['lint'], limits: '{"cpu": 2}' },
    })
    const values = {
      ...{ environment: 'staging-us', replicas: 8, share: 0.5, host: 'a.test', mail: 'a@b.test' },
      ...{ day: '2026-11-19', at: at.toISOString(), keep: false, checks: ['lint'], limits: { cpu: 2 } },
    }
    expect(formAnswer(schema, draft)).toEqual({ given: values, missing: 0, problems: new Map() })
    // The default of a request is in the fields from the start, and gives the same values.
    expect(formAnswer(schema, initialForm(schema, values)).given).toEqual(values)
  })

  test.each<[string, FieldDraft, string]>([
    ['replicas', '12', 'Enter a number from 1 to 8.'],
    ['replicas', '1.5', 'Enter a whole number.'],
    ['replicas', 'many', 'Enter a whole number.'],
    ['share', '-1', 'Enter 0 or more.'],
    ['share', 'half', 'Enter a number.'],
    ['host', 'preview.example', 'Must have at most 8 characters.'],
    ['mail', 'nobody', 'Must be an e-mail address.'],
    ['day', '2026-02-30', 'Must be a date such as 2026-11-19.'],
    ['checks', ['lint', 'types'], 'Must have at most 1 entry.'],
    ['limits', '{"cpu" 2}', 'Line 1, column 8: ":" is missing after the key.'],
    ['limits', '{"cpu": "2"}', 'Field "limits", property "cpu", must be a number.'],
  ])('the field %s with %j says what is wrong', (name, value, problem) => {
    const { given, problems } = formAnswer(schema, filled({ environment: 'staging-eu', replicas: '1', [name]: value }))
    expect(given).toBeUndefined()
    expect(problems.get(name)).toBe(problem)
  })

  test('an emptied field has no value', () => {
    const draft = withField(filled({ environment: 'staging-eu', replicas: '3', host: '  ' }), 'environment', undefined)
    expect(formAnswer(schema, draft)).toMatchObject({ missing: 1, problems: new Map() })
  })

  test('a name of the language is a name', () => {
    const odd = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}')
    const draft = withField(initialForm(odd, undefined), '__proto__', 'x')
    expect(JSON.stringify(formAnswer(odd, draft).given)).toBe('{"__proto__":"x"}')
  })
})

describe('[C417] all values as JSON', () => {
  test('are the same values, and back', () => {
    const draft = filled({ environment: 'staging-eu', replicas: '3' })
    const json = turnedForm(schema, draft)
    expect(JSON.parse(json?.json ?? '')).toEqual({ environment: 'staging-eu', replicas: 3, keep: true })
    expect(json && formAnswer(schema, turnedForm(schema, json) ?? draft).given).toEqual(formAnswer(schema, draft).given)
  })

  test.each<[string, boolean]>([
    ['{"replicas":3,"keep":true,"host":"a","checks":["lint"],"limits":{"b":1,"a":2},"environment":"staging-eu"}', true],
    ['{"at":"2026-11-19T10:00:00.000Z","keep":false}', true],
    // A box without a value is not ticked.
    ['{"replicas":3}', true],
    ['{"replicas":"3","keep":true}', false],
    ['{"host":5,"keep":true}', false],
    ['{"host":"","keep":true}', false],
    ['{"host":{"name":"a"},"keep":true}', false],
    ['{"checks":"lint","keep":true}', false],
    ['{"checks":["lint",1],"keep":true}', false],
    ['{"keep":"yes"}', false],
    ['{"at":"2026-11-19T10:00:00.123Z","keep":true}', false],
    ['{"at":"soon","keep":true}', false],
    ['{"more":1,"keep":true}', false],
  ])('%s can be edited as a form: %j', (json, can) => {
    const turned = turnedForm(schema, { fields: new Map(), json })
    expect(turned !== null).toBe(can)
    if (turned) expect(JSON.parse(turnedForm(schema, turned)?.json ?? '')).toEqual({ keep: false, ...JSON.parse(json) })
  })

  test('wait for a field that has no value to keep', () =>
    expect(turnedForm(schema, filled({ replicas: 'many' }))).toBeNull())

  test.each([
    ['{', /^Line 1, column 2: /],
    ['[]', /^The values are an object/],
    ['{"environment":"staging-eu"}', /"replicas" is required/],
    ['{"environment":"staging-eu","replicas":3,"more":1}', /no field "more"/],
  ])('%s is refused, and stays where it is', (json, problem) => {
    const { given, problems } = formAnswer(schema, { fields: new Map(), json })
    expect([given, problems.get(WHOLE_FORM)]).toEqual([undefined, expect.stringMatching(problem)])
    if (!json.startsWith('{"environment":"staging-eu"}'))
      expect(turnedForm(schema, { fields: new Map(), json })).toBeNull()
  })
})
