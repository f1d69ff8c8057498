// A form is a JSON Schema of an object. Its properties are the fields: all of MCP's elicitation, and nested values, which are edited as
// JSON. The rules of JSON Schema apply as far as they are read here; the asker checks the rest.

import { TYPES, valueProblem } from './form-values.ts'
import { isJsonObject, type Json, type JsonObject, ownProperty, present } from './json.ts'

/** Properties in a form, nested ones included: a longer form belongs on a page of its own. */
export const FIELDS_MAX = 100
/** Characters of a title or an option's label: surfaces show it whole. */
const TITLE_CHARS_MAX = 200

/** Characters of the values of a form as JSON: they are checked while their session waits. */
export const VALUES_CHARS_MAX = 64_000

/** `json`: a nested value, or anything else without an input of its own. */
export type FieldType = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'json'

/** A choice: the value that is sent, and the label that is shown. */
export interface FieldOption {
  /** The value that the form sends. */
  readonly value: string
  /** The text that people read. */
  readonly label: string
}

/** A field of a form, as a surface draws it. */
export interface FormField {
  /** The name of the property. */
  readonly name: string
  /** The kind of input. */
  readonly type: FieldType
  /** The title of the property, or its name. */
  readonly label: string
  /** The explanation beside the field. */
  readonly description?: string
  /** False if the field may stay empty. */
  readonly isRequired: boolean
  /** The value that the field begins with. */
  readonly default?: Json
  /** The options of a choice. */
  readonly options?: readonly FieldOption[]
  /** The `format` of a text, such as `date` or `email`. */
  readonly format?: string
  /** The lower limit of a number, of the length of a text, or of the number of choices. */
  readonly least?: number
  /** The upper limit. */
  readonly most?: number
}

/** The fields of a form in their order. */
export const formFields = (schema: JsonObject): readonly FormField[] => {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(propertiesOf(schema)).map(([name, property]) =>
    fieldOf(name, property, required.includes(name)),
  )
}

/** Why a schema cannot be a form, as a sentence that a model can read. The caller has checked its depth and its size. */
export const formProblem = (schema: unknown): string | null => {
  if (
    !isJsonObject(schema) ||
    (schema.type !== undefined && schema.type !== 'object') ||
    !isJsonObject(schema.properties)
  )
    return 'The schema of a form has the type "object" and `properties`.'
  const count = { fields: 0 }
  const problem = partProblem(schema, 'the form', count)
  if (problem !== null) return problem
  if (someObject(schema, ({ $ref, format }) => isText($ref) || isPassword(format)))
    return 'The schema of the form has a `$ref` or the format "password" in a part that is not a field.'
  if (count.fields > FIELDS_MAX) return `The form has ${count.fields} fields; at most ${FIELDS_MAX} are allowed.`
  const names = Object.keys(schema.properties)
  if (names.length === 0) return 'The form has no fields.'
  const required = Array.isArray(schema.required) ? schema.required : []
  const missing = required.find((name) => !names.includes(String(name)))
  if (missing !== undefined) return `The form requires "${String(missing)}", but has no such field.`
  for (const { name, label, type, options = [] } of formFields(schema)) {
    if (label.length > TITLE_CHARS_MAX)
      return `The title of field "${name}" is longer than ${TITLE_CHARS_MAX} characters.`
    if ((type === 'choice' || type === 'choices') && options.length === 0) return `Field "${name}" has no options.`
    if (options.some((option) => option.label.length > TITLE_CHARS_MAX))
      return `An option of field "${name}" is longer than ${TITLE_CHARS_MAX} characters.`
  }
  return null
}

/** Why values do not fit a form; names the field. Null: they fit. */
export const valuesProblem = (schema: JsonObject, values: unknown): string | null => {
  if (!isJsonObject(values)) return '`values` must be an object with the fields of the form.'
  const chars = JSON.stringify(values).length
  if (chars > VALUES_CHARS_MAX)
    return `The values have ${chars} characters as JSON; at most ${VALUES_CHARS_MAX} are allowed.`
  const properties = propertiesOf(schema)
  const isOpen = schema.additionalProperties === true || isJsonObject(schema.additionalProperties)
  const unknown = Object.keys(values).find((name) => ownProperty(properties, name) === undefined)
  if (unknown !== undefined && !isOpen)
    return `The form has no field "${unknown.slice(0, TITLE_CHARS_MAX).toWellFormed()}".`
  for (const { name, type, isRequired } of formFields(schema)) {
    const value = ownProperty(values, name)
    if (value === undefined && isRequired) return `Field "${name}" is required.`
    if (value === undefined) continue
    const problem = valueProblem(ownProperty(properties, name) ?? {}, value, `Field "${name}"`)
    if (problem !== null) return problem
    if (type === 'choices' && Array.isArray(value) && new Set(value).size < value.length)
      return `Field "${name}" has a choice twice.`
  }
  return null
}

const propertiesOf = ({ properties }: JsonObject): { readonly [name: string]: JsonObject } =>
  isJsonObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, isJsonObject(each) ? each : {}]))
    : {}

const fieldOf = (name: string, property: JsonObject, isRequired: boolean): FormField => {
  const { type, options } = typeAndOptions(property)
  const [least, most] = LIMITS[type]?.map((limit) => property[limit]) ?? []
  return {
    name,
    type,
    label: typeof property.title === 'string' && property.title !== '' ? property.title : name,
    isRequired,
    ...present({
      description: textOrAbsent(property.description),
      // A surface offers it as an answer, so one that does not fit is left out.
      default:
        property.default !== undefined && valueProblem(property, property.default, name) === null
          ? property.default
          : undefined,
      options,
      format: textOrAbsent(property.format),
      least: typeof least === 'number' ? least : undefined,
      most: typeof most === 'number' ? most : undefined,
    }),
  }
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isType = (value: Json): boolean => typeof value === 'string' && Object.hasOwn(TYPES, value)
const isPassword = (format: unknown): boolean => typeof format === 'string' && format.toLowerCase() === 'password'

/** Whether an object in the value, at any depth, passes the test. The caller has checked the depth. */
const someObject = (value: Json, test: (object: JsonObject) => boolean): boolean =>
  Array.isArray(value)
    ? value.some((each) => someObject(each, test))
    : isJsonObject(value) && (test(value) || Object.values(value).some((each) => someObject(each, test)))

const textOrAbsent = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

const LIMITS: { readonly [T in FieldType]?: readonly [string, string] } = {
  text: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  choices: ['minItems', 'maxItems'],
}

const typeAndOptions = (
  property: JsonObject,
): { readonly type: FieldType; readonly options?: readonly FieldOption[] } => {
  const options = optionsOf(property)
  if (options !== null) return { type: 'choice', options }
  if (property.type === 'array') {
    const items = isJsonObject(property.items) ? optionsOf(property.items) : null
    return items === null ? { type: 'json' } : { type: 'choices', options: items }
  }
  if (property.type === 'string') return { type: 'text' }
  return property.type === 'number' || property.type === 'integer' || property.type === 'boolean'
    ? { type: property.type }
    : { type: 'json' }
}

/** The choices of `enum`, also with `enumNames`, and of `oneOf` or `anyOf` with a `const` each. Null: other values than texts, or no choice. */
const optionsOf = (property: JsonObject): readonly FieldOption[] | null => {
  const { enum: values, enumNames: names, oneOf, anyOf } = property
  if (property.type !== undefined && property.type !== 'string') return null
  if (Array.isArray(values))
    return values.every((each) => typeof each === 'string')
      ? values.map((value, index) => ({
          value,
          label: labelOf(Array.isArray(names) ? names[index] : undefined, value),
        }))
      : null
  const titled = oneOf ?? anyOf
  if (!Array.isArray(titled) || !titled.every((each) => isJsonObject(each) && typeof each.const === 'string'))
    return null
  return (titled as readonly JsonObject[]).map(({ const: value, title }) => ({
    value: value as string,
    label: labelOf(title, value as string),
  }))
}

const labelOf = (title: Json | undefined, value: string): string =>
  typeof title === 'string' && title !== '' ? title : value

/** Walks the parts of a schema, and counts its fields. */
const partProblem = (schema: unknown, name: string, count: { fields: number }): string | null => {
  if (typeof schema === 'boolean') return null
  if (!isJsonObject(schema)) return `The schema of ${name} is not an object.`
  if (schema.$ref !== undefined || schema.$dynamicRef !== undefined)
    return `The schema of ${name} has a \`$ref\`. Write each part of a form in its place.`
  if (isPassword(schema.format))
    return `The schema of ${name} has the format "password". Secrets do not belong in a session; do not ask for them.`
  const { type, required = [] } = schema
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).every(isType))
    return `The \`type\` of ${name} is not a type of JSON Schema, nor a list of such types.`
  if (!Array.isArray(required) || !required.every(isText)) return `\`required\` of ${name} is not a list of texts.`
  const fields = isJsonObject(schema.properties) ? Object.entries(schema.properties) : []
  count.fields += fields.length
  for (const [field, part] of fields) {
    const problem = partProblem(part, `field "${field.slice(0, TITLE_CHARS_MAX).toWellFormed()}"`, count)
    if (problem !== null) return problem
  }
  const parts = [schema.items, schema.additionalProperties, schema.not].filter((each) => each !== undefined)
  const lists = [schema.oneOf, schema.anyOf, schema.allOf, schema.prefixItems].filter(Array.isArray)
  for (const part of [...parts, ...lists.flat()]) {
    const problem = partProblem(part, name, count)
    if (problem !== null) return problem
  }
  return null
}
