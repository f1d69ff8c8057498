// Valid values of a JSON Schema, as /openapi.json and `toJsonSchema` write them. What a schema does not say (an id must be of a
// session that is there) comes from a dictionary of words that mean something to the server.
import fc from 'fast-check'

export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly maxItems?: number
  readonly pattern?: string
}

/** Made once: fast-check takes its time over it. */
export const anyText = fc.string({ unit: 'binary', maxLength: 30 })

export const validValues = (schema: JsonSchema, words: readonly string[]): fc.Arbitrary<unknown> => {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const options = schema.anyOf ?? schema.oneOf
  if (options) return fc.oneof(...options.map((option) => validValues(option, words)))
  if (schema.allOf) return fc.oneof(...schema.allOf.map((part) => validValues(part, words)))
  if (schema.properties || schema.type === 'object') return record(schema, words)
  switch (schema.type) {
    case 'string':
      return schema.pattern ? fc.stringMatching(new RegExp(schema.pattern)) : text(words)
    case 'integer':
      return fc.oneof(
        fc.integer({ min: Math.max(0, schema.minimum ?? 0), max: Math.min(50, schema.maximum ?? 50) }),
        whole,
      )
    case 'number':
      return fc.oneof(
        fc.double({ min: schema.minimum ?? schema.exclusiveMinimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true }),
        whole,
      )
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(validValues(schema.items ?? {}, words), { maxLength: Math.min(4, schema.maxItems ?? 4) })
  }
  return anything(words)
}

const whole = fc.constantFrom(0, 1, 2, 2 ** 31, Number.MAX_SAFE_INTEGER)

/** Mostly words that mean something, at times any text at all. */
const text = (words: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: anyText })

const record = ({ properties = {}, required = [] }: JsonSchema, words: readonly string[]): fc.Arbitrary<unknown> => {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, validValues(schema, words)]),
  )
  const needed = required.filter((name) => Object.hasOwn(fields, name))
  return fc.record(fields, { requiredKeys: needed })
}

const anything = (words: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    text(words),
    fc.jsonValue({ maxDepth: 3 }),
    fc.dictionary(fc.constantFrom(...words, 'a'), fc.jsonValue(), { maxKeys: 3 }),
  )
