// The interface of Standard Schema (https://standardschema.dev), so that an agent may use any schema library. No dependency.
import type { Json } from '@bridle/events/json'
import { ISSUES_MAX } from '../session/limits.ts'

/** A schema of any library that follows Standard Schema (standardschema.dev), such as Valibot, Zod or ArkType. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The part of the schema that the specification describes. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Writes the schema as JSON Schema. A library that follows Standard JSON Schema has it. */
    readonly jsonSchema?: unknown
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

/** A schema of ours, written out: browsers import the main entry, and need no library for schemas. */
export const writtenSchema = <Input extends object, Output = Input>(
  jsonSchema: () => Json,
  validate: StandardSchema<Input, Output>['~standard']['validate'],
): StandardSchema<Input, Output> => ({
  '~standard': { version: 1, vendor: 'bridle', validate, jsonSchema: { input: jsonSchema } },
})

/** Accepts functions too: the schemas of some libraries are callable. */
export const isSchema = (value: unknown): value is StandardSchema => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const { '~standard': standard } = value as Partial<StandardSchema>
  return standard?.version === 1 && typeof standard.validate === 'function'
}

/** Why a model cannot be told of the schema, as the rest of a sentence; null where it can. */
export const missingJsonSchema = ({ '~standard': { vendor, jsonSchema } }: StandardSchema): string | null =>
  jsonSchema !== undefined || vendor === 'valibot'
    ? null
    : `cannot be written as JSON Schema, which the model needs: "${vendor}" has no ~standard.jsonSchema. Use Zod 4.2, ArkType 2.1.28 or Valibot, or newer ones.`

/** The value that the schema returns, or its issues with their paths in one line. `wait` bounds the time of a schema that takes some. */
export const validateWithSchema = async <Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
  wait: <T>(checking: Promise<T>) => Promise<T> = (checking) => checking,
): Promise<{ readonly value: Output } | { readonly problem: string }> => {
  try {
    const checking = schema['~standard'].validate(value)
    const result = checking instanceof Promise ? await wait(checking) : checking
    return result.issues ? { problem: describeIssues(result.issues) } : { value: result.value }
  } catch (error) {
    return { problem: `it could not be checked: ${error instanceof Error ? error.message : String(error)}` }
  }
}

export const describeIssues = (issues: readonly SchemaIssue[]): string =>
  issues.slice(0, ISSUES_MAX).map(describeIssue).join('; ')

const describeIssue = ({ message, path = [] }: SchemaIssue): string => {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return place === '' ? message : `${place}: ${message}`
}
