// A small evaluator of JSON Schema, for the keywords that the draft of OpenHarness has. Another keyword is a failure of the test.

export interface DraftSchema {
  readonly [keyword: string]: unknown
}

const SILENT = ['$schema', '$id', '$defs', 'title', 'description']
const typeChecks: Record<string, (value: unknown) => boolean> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
}

/** Whether the schema accepts the value; `root` holds the `$defs`. */
export const accepts = (root: DraftSchema, value: unknown, schema: DraftSchema = root): boolean =>
  Object.entries(schema).every(([keyword, operand]) => holds(root, value, keyword, operand))

const holds = (root: DraftSchema, value: unknown, keyword: string, operand: unknown): boolean => {
  const fits = (each: unknown, inner: unknown) => accepts(root, each, inner as DraftSchema)
  const entries = typeChecks.object?.(value) ? (value as Record<string, unknown>) : {}
  switch (keyword) {
    case 'type':
      return typeChecks[operand as string]?.(value) ?? false
    case 'enum':
      return (operand as unknown[]).includes(value)
    case 'pattern':
      return typeof value !== 'string' || new RegExp(operand as string, 'u').test(value)
    case 'minLength':
      return typeof value !== 'string' || [...value].length >= (operand as number)
    case 'minimum':
      return typeof value !== 'number' || value >= (operand as number)
    case 'required':
      return !typeChecks.object?.(value) || (operand as string[]).every((name) => Object.hasOwn(entries, name))
    case 'properties':
      return Object.entries(operand as object).every(
        ([name, inner]) => !Object.hasOwn(entries, name) || fits(entries[name], inner),
      )
    case 'additionalProperties':
      if (operand === false) throw new Error('The draft closes no object.')
      return true
    case 'items':
      return !Array.isArray(value) || value.every((each) => fits(each, operand))
    case 'oneOf':
      return (operand as unknown[]).filter((inner) => fits(value, inner)).length === 1
    case '$ref':
      return fits(value, (root.$defs as Record<string, unknown>)[(operand as string).replace('#/$defs/', '')])
  }
  if (SILENT.includes(keyword)) return true
  throw new Error(`The evaluator does not know "${keyword}".`)
}
