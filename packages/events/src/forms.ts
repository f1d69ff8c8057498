// A form is a JSON Schema of an object whose properties are the fields. Only a subset is checked here; the asker checks the rest.

import { TYPES, valueProblem } from './form-values.ts'
import { isJsonObject, type Json, type JsonObject, ownProperty, present } from './json.ts'

/** Including nested ones. A longer form belongs on a page of its own. */
const FIELDS_MAX = 100
/** Surfaces show titles and option labels in full. */
const TITLE_CHARS_MAX = 200

/** Values as JSON, which are validated while the session waits. */
const VALUES_CHARS_MAX = 64_000

/** The kind of input. `json`: nested values, and everything without an input of its own. */
export type FieldType = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'json'

/** An option of a choice: the submitted value and its label. */
export interface FieldOption {
  /** The submitted value. */
  readonly value: string
  /** The label. */
  readonly label: string
}

/** A form field, ready to be rendered. */
export interface FormField {
  /** The property name. */
  readonly name: string
  /** The kind of input. */
  readonly type: FieldType
  /** The property's title, or its name. */
  readonly label: string
  /** Help text. */
  readonly description?: string
  /** False if the field may stay empty. */
  readonly isRequired: boolean
  /** The initial value. */
  readonly default?: Json
  /** The options of a choice. */
  readonly options?: readonly FieldOption[]
  /** The `format` of a text, such as `date` or `email`. */
  readonly format?: string
  /** The minimum of a number, of a text's length, or of the number of choices. */
  readonly least?: number
  /** The maximum. */
  readonly most?: number
}

/** The fields of a form, in order. */
export const formFields = (schema: JsonObject): readonly FormField[] => {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(propertiesOf(schema)).map(([name, property]) =>
    fieldOf(name, property, required.includes(name)),
  )
}

/** Why a schema cannot be a form, in terms a model understands. The caller has bounded its depth and size. */
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

/** Why values do not fit a form, naming the field, or null. */
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
      // Surfaces offer the default as an answer, so it must fit.
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

/** Tests an object at any depth. The caller has bounded the depth. */
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

/** Options of `enum`, `oneOf` or `anyOf`. Null if there are none or some are not texts. */
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

/** Counts fields while checking every part of the schema. */
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
