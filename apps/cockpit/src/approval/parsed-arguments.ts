// The arguments that somebody typed: an object, or the place and the reason why the text is none.
import type { JsonRecord } from './card-approval.ts'
import { type JsonProblem, jsonProblem } from './json-problem.ts'

export type ParsedArguments =
  | { readonly args: JsonRecord; readonly problem: null }
  | { readonly args: null; readonly problem: JsonProblem }

export const parseArguments = (text: string): ParsedArguments => {
  const problem = jsonProblem(text)
  if (problem) return { args: null, problem }
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { args: null, problem: { line: 1, column: 1, message: 'The arguments are an object: { … }.' } }
  return { args: value as JsonRecord, problem: null }
}
