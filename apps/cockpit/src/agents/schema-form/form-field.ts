// A JSON Schema as the fields of a form. A part that no field can express is a field of JSON.

/** Deeper objects are JSON: nobody fills in a form of so many levels, and a schema may contain itself. */
const FORM_LEVELS_MAX = 4

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue }
export type JsonSchema = { readonly [keyword: string]: unknown }

interface FieldHead {
  /** The names from the root to this value. */
  readonly path: readonly string[]
  readonly label: string
  readonly description: string
  readonly isRequired: boolean
  /** An empty field of a required value stands for null. */
  readonly isNullable: boolean
  readonly initial: JsonValue | undefined
}

export type FormField = FieldHead &
  (
    | { readonly kind: 'text' | 'switch' | 'lines' | 'json' }
    | { readonly kind: 'number'; readonly isWhole: boolean; readonly min: number | null; readonly max: number | null }
    | { readonly kind: 'choice'; readonly options: readonly JsonValue[] }
    | { readonly kind: 'group'; readonly fields: readonly FormField[] }
  )

/** The fields of an object; null where the schema is not one of an object with named values. */
export const formFields = (schema: JsonSchema): readonly FormField[] | null => {
  const root = resolved(schema, schema)
  return isGroup(root.schema) ? groupFields(root.schema, [], schema) : null
}

const groupFields = (schema: JsonSchema, path: readonly string[], root: JsonSchema): readonly FormField[] => {
  const required = Array.isArray(schema.required) ? (schema.required as unknown[]) : []
  return Object.entries(schema.properties as { [name: string]: unknown }).map(([name, property]) =>
    formField(asSchema(property), [...path, name], required.includes(name), root),
  )
}

const formField = (given: JsonSchema, path: readonly string[], isRequired: boolean, root: JsonSchema): FormField => {
  const { schema, isNullable } = resolved(given, root)
  const head: FieldHead = {
    path,
    label: textOf(given.title) || textOf(schema.title) || (path.at(-1) ?? ''),
    description: textOf(given.description) || textOf(schema.description),
    isRequired,
    isNullable,
    initial: (given.default ?? schema.default) as JsonValue | undefined,
  }
  if (Array.isArray(schema.enum)) return { ...head, kind: 'choice', options: schema.enum as JsonValue[] }
  if ('const' in schema) return { ...head, kind: 'choice', options: [schema.const as JsonValue] }
  switch (schema.type) {
    case 'string':
      return { ...head, kind: 'text' }
    case 'boolean':
      return { ...head, kind: 'switch' }
    case 'number':
    case 'integer':
      return {
        ...head,
        kind: 'number',
        isWhole: schema.type === 'integer',
        min: numberOf(schema.minimum),
        max: numberOf(schema.maximum),
      }
    case 'array':
      return { ...head, kind: resolved(asSchema(schema.items), root).schema.type === 'string' ? 'lines' : 'json' }
    default:
      return isGroup(schema) && path.length < FORM_LEVELS_MAX
        ? { ...head, kind: 'group', fields: groupFields(schema, path, root) }
        : { ...head, kind: 'json' }
  }
}

/** A schema without its reference, and without the null that it may have besides one other type. */
const resolved = (
  given: JsonSchema,
  root: JsonSchema,
  depth = 0,
): { readonly schema: JsonSchema; readonly isNullable: boolean } => {
  const name = typeof given.$ref === 'string' ? /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(given.$ref)?.[1] : undefined
  const definitions = asSchema(root.$defs ?? root.definitions)
  if (name !== undefined && depth < FORM_LEVELS_MAX) return resolved(asSchema(definitions[name]), root, depth + 1)
  if (Array.isArray(given.type)) {
    const types = given.type.filter((type) => type !== 'null')
    if (types.length === 1)
      return { schema: { ...given, type: types[0] }, isNullable: types.length < given.type.length }
  }
  const choices = Array.isArray(given.anyOf) ? given.anyOf.map(asSchema) : []
  const [only, ...others] = choices.filter(({ type }) => type !== 'null')
  if (only && others.length === 0 && depth < FORM_LEVELS_MAX)
    return { schema: resolved(only, root, depth + 1).schema, isNullable: choices.length > 1 }
  return { schema: given, isNullable: false }
}

const isGroup = ({ properties }: JsonSchema): boolean =>
  typeof properties === 'object' && properties !== null && Object.keys(properties).length > 0

const asSchema = (value: unknown): JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
