// A schema with a title becomes a component; all others are inlined.
import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import { type GenericSchema, getTitle } from 'valibot'

export type JsonSchema = Readonly<Record<string, unknown>>

export const componentRef = (kind: 'schemas' | 'responses' | 'parameters', name: string): JsonSchema => ({
  $ref: `#/components/${kind}/${name}`,
})

/** Omits checks that JSON Schema cannot express. */
export const requestSchema = (schema: GenericSchema): JsonSchema => {
  const { $schema, ...rest } = toJsonSchema(schema, config)
  return rest
}

export const answerJsonSchema = (schema: GenericSchema): JsonSchema => {
  const name = getTitle(schema)
  return name === undefined ? requestSchema(schema) : componentRef('schemas', name)
}

/** All titled schemas, recursively. Throws if two share a title. */
export const componentSchemas = (roots: readonly GenericSchema[]): Record<string, JsonSchema> => {
  const found = new Map<string, GenericSchema>()
  const visited = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || visited.has(value)) return
    visited.add(value)
    const schema = value as SchemaParts
    const title = schema.pipe && getTitle(schema as unknown as GenericSchema)
    const other = title === undefined ? undefined : found.get(title)
    if (other !== undefined && other !== value) throw new Error(`Two schemas of answers have the title "${title}".`)
    if (title !== undefined) found.set(title, value as GenericSchema)
    for (const part of [...Object.values(schema.entries ?? {}), ...(schema.options ?? []), ...(schema.pipe ?? [])])
      visit(part)
    for (const part of [schema.item, schema.wrapped, schema.value, schema.rest, schema.getter?.()]) visit(part)
  }
  for (const root of roots) visit(root)
  const converted = toJsonSchemaDefs(Object.fromEntries(found), config)
  return Object.fromEntries(
    Object.entries(converted)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { title: _title, ...schema }]) => [name, schema]),
  )
}

export const definitionsSchema = (definitions: Readonly<Record<string, GenericSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(
      toJsonSchemaDefs(definitions, { ...config, overrideRef: ({ referenceId }) => `#/$defs/${referenceId}` }),
    ).map(([name, schema]) => [name, { ...schema }]),
  )

interface SchemaParts {
  readonly entries?: object
  readonly options?: readonly unknown[]
  readonly pipe?: readonly unknown[]
  readonly item?: unknown
  readonly wrapped?: unknown
  readonly value?: unknown
  readonly rest?: unknown
  readonly getter?: () => unknown
}

const config: Omit<ConversionConfig, 'definitions'> = {
  errorMode: 'ignore',
  typeMode: 'input',
  // Be explicit, because linters assume that objects are closed.
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    valibotSchema.type === 'loose_object' ? { ...jsonSchema, additionalProperties: true } : undefined,
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
}
