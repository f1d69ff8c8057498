// Errors of durable functions. Like those of agents/errors.ts they are told apart by their code.
import { present } from '@bridle/events/json'
import { hasCode } from '../session/errors.ts'
import type { ErrorDetails } from './memo.ts'

/** The codes of a StepError. */
export type StepErrorCode =
  | 'step_name_invalid'
  | 'step_name_in_use'
  | 'step_nested'
  | 'step_result_invalid'
  | 'step_result_too_large'
  | 'not_durable'

/** A step that cannot be kept in the log; the message says what to change. */
export class StepError extends Error {
  /** The code to match. */
  readonly code: StepErrorCode

  constructor(code: StepErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StepError'
    this.code = code
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && CODES.has((value as { readonly code?: unknown }).code)
  }
}

const CODES: ReadonlySet<unknown> = new Set([
  'step_name_invalid',
  'step_name_in_use',
  'step_nested',
  'step_result_invalid',
  'step_result_too_large',
  'not_durable',
] satisfies StepErrorCode[])

/** A call was under way when its process ended, and a person did not want it to be made again. */
export class OutcomeUnknown extends Error {
  /** The code to match. */
  readonly code = 'outcome_unknown'
  /** The name of the tool. */
  readonly tool: string

  constructor(tool: string, reason: string | null) {
    super(`"${tool}" was under way when its process ended. It may have acted${reason ? `: ${reason}` : '.'}`)
    this.name = 'OutcomeUnknown'
    this.tool = tool
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasCode(value, 'outcome_unknown')
  }
}

export const nestedCallError = (step: string): StepError =>
  new StepError(
    'step_nested',
    `The session cannot be called inside the step "${step}", which does not run again. Call it before or after the step.`,
  )

/** The parts of an error that the log keeps beside its message. */
export const errorDetails = (error: unknown): ErrorDetails => {
  if (!(error instanceof Error)) return {}
  const { name, code, transient } = error as Error & { readonly code?: unknown; readonly transient?: unknown }
  return {
    ...(name !== 'Error' && { error_name: name }),
    ...(typeof code === 'string' && { error_code: code }),
    ...(transient === true && { transient }),
  }
}

/** An error as the log keeps it. The function gets this one each time, so that it takes the same way when it begins again. */
export const loggedError = (message: string, details: ErrorDetails, cause?: unknown): Error => {
  const { error_name: name, error_code: code, transient } = details
  const error = new Error(message, cause === undefined ? undefined : { cause })
  return Object.assign(error, present({ name, code, transient: transient || undefined }))
}
