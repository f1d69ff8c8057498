// Schemas of any library that speaks Standard Schema (https://standardschema.dev): the interface alone, no dependency.

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type InputOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input']
export type OutputOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output']

/** Some libraries' schemas are functions. */
export const isSchema = (value: unknown): value is StandardSchema => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const { '~standard': standard } = value as Partial<StandardSchema>
  return standard?.version === 1 && typeof standard.validate === 'function'
}

/** The value as the schema gives it back, or every issue with its path in one line. */
export const validateWithSchema = async <Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
): Promise<{ readonly value: Output } | { readonly problem: string }> => {
  try {
    const result = await schema['~standard'].validate(value)
    return result.issues
      ? { problem: result.issues.slice(0, ISSUES_MAX).map(describeIssue).join('; ') }
      : { value: result.value }
  } catch (error) {
    return { problem: `it could not be checked: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** Nobody reads more, and a long list of bad items would otherwise come back whole. */
const ISSUES_MAX = 20

const describeIssue = ({ message, path = [] }: SchemaIssue): string => {
  const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return at === '' ? message : `${at}: ${message}`
}
