// Other forms of arguments that do not fit: a number that came as a text, an object as its JSON, one value instead of a list, null for
// a field that may be missing, everything inside of a wrapping. A form counts only if the schema then accepts it.
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import { parsedObject } from './json-text.ts'

/** Forms of the same arguments that are tried: as they are written, and without a wrapping. Each one costs a check by the schema. */
const REPAIR_TRIES_MAX = 4
/** Levels of a schema that a repair looks into: deeper ones are rarely the mistake, and a schema may refer to itself. */
const REPAIR_DEPTH_MAX = 12
/** Values that one repair looks at: arguments with more are data, and are checked as they came. */
const REPAIR_VALUES_MAX = 5_000

/** The forms to try, the likeliest first; none of them is the arguments as they came. */
export const argumentForms = (schema: JsonObject, args: JsonObject): readonly JsonObject[] => {
  const text = JSON.stringify(args)
  const forms: JsonObject[] = []
  for (const form of [args, ...unwrapped(schema, args)]) {
    const mended = mendedObject(schema, form)
    for (const each of [form, mended]) {
      const isNew = [text, ...forms.map((other) => JSON.stringify(other))].every(
        (known) => known !== JSON.stringify(each),
      )
      if (isNew) forms.push(each)
    }
  }
  return forms.slice(0, REPAIR_TRIES_MAX)
}

const WRAPPINGS = ['input', 'arguments', 'args', 'parameters'] as const

/** Models put the arguments into a field of their own, as an object or as its JSON. */
const unwrapped = (schema: JsonObject, args: JsonObject): readonly JsonObject[] => {
  const [field, ...others] = Object.keys(args)
  const isWrapping = (WRAPPINGS as readonly (string | undefined)[]).includes(field) && others.length === 0
  if (field === undefined || !isWrapping || isJsonObject(propertiesOf(schema)[field])) return []
  const value = args[field]
  const inner = typeof value === 'string' ? parsedObject(value) : value
  return isJsonObject(inner) ? [inner] : []
}

const mendedObject = (schema: JsonObject, args: JsonObject): JsonObject => {
  const mend = createMender(schema)
  const mended = mend(schema, args, 0)
  return isJsonObject(mended) ? mended : args
}

type Mender = (schema: JsonObject, value: Json, depth: number) => Json

const createMender = (root: JsonObject): Mender => {
  let left = REPAIR_VALUES_MAX
  const mend: Mender = (given, value, depth) => {
    left -= 1
    if (left < 0 || depth > REPAIR_DEPTH_MAX) return value
    const schema = optionFor(root, resolved(root, given), value)
    const type = schema.type
    const shaped = ofType(type, value)
    if (type === 'object' && isJsonObject(shaped)) return mendFields(schema, shaped, depth)
    if (type === 'array' && Array.isArray(shaped) && isJsonObject(schema.items)) {
      const { items } = schema
      return shaped.map((each) => mend(items, each, depth + 1))
    }
    return shaped
  }
  const mendFields = (schema: JsonObject, value: JsonObject, depth: number): JsonObject => {
    const properties = propertiesOf(schema)
    const required = Array.isArray(schema.required) ? schema.required : []
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, each]): [string, Json][] => {
        const field = Object.hasOwn(properties, name) ? properties[name] : undefined
        if (!isJsonObject(field)) return [[name, each]]
        if (each === null && !required.includes(name) && !takesNull(root, field)) return []
        return [[name, mend(field, each, depth + 1)]]
      }),
    )
  }
  return mend
}

/** The value in the shape that the type asks for, where it is plain which one was meant. */
const ofType = (type: Json | undefined, value: Json): Json => {
  if (typeof value === 'string') {
    if (type === 'number' || type === 'integer') return numberIn(value)
    if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
    if (type === 'object') return parsedObject(value) ?? value
    if (type === 'array') return listIn(value) ?? [value]
  }
  return type === 'array' && value !== null && !Array.isArray(value) ? [value] : value
}

const numberIn = (text: string): Json => {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : text
}

const listIn = (text: string): Json[] | null => {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? (value as Json[]) : null
  } catch {
    return null
  }
}

/** The option of a union that the value may be meant for: none where one of them has its type already. */
const optionFor = (root: JsonObject, schema: JsonObject, value: Json): JsonObject => {
  const options = [schema.anyOf, schema.oneOf].find((each) => Array.isArray(each)) as Json[] | undefined
  if (!options) return schema
  const known = options.filter(isJsonObject).map((each) => resolved(root, each))
  const same = known.find(({ type }) => type === typeOf(value))
  return same ?? known.find(({ type }) => type !== undefined && type !== 'null') ?? schema
}

const takesNull = (root: JsonObject, field: JsonObject): boolean => {
  const { type, anyOf, oneOf } = resolved(root, field)
  const options = [anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each : []))
  return (
    type === 'null' ||
    (Array.isArray(type) && type.includes('null')) ||
    options.some((each) => isJsonObject(each) && each.type === 'null')
  )
}

const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

const propertiesOf = ({ properties }: JsonObject): JsonObject => (isJsonObject(properties) ? properties : {})

/** A reference within the schema, followed once: a chain of them is rare. */
const resolved = (root: JsonObject, schema: JsonObject): JsonObject => {
  const { $ref } = schema
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return schema
  let target: Json | undefined = root
  for (const name of $ref.slice(1).split('/').filter(Boolean)) target = isJsonObject(target) ? target[name] : undefined
  return isJsonObject(target) ? target : schema
}
