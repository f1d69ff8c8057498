// Executes the directives of a response in order. A failing directive never stops the ones after it.
import { type CheckedDirective, readDirective } from './directive.ts'
import { type DirectiveBatch, type DirectiveResult, type ExecutionSettings, executeDirective } from './directive-run.ts'
import type { DirectiveFeedback, ShellTelemetry } from './feedback.ts'
import { groupDirectives } from './groups.ts'

export interface ExecutionHooks {
  readonly feedback: (feedback: DirectiveFeedback) => void
  readonly telemetry: (event: ShellTelemetry) => void
}

export const executeDirectives = async (
  directives: readonly unknown[],
  batch: Omit<DirectiveBatch, 'approvalTurn' | 'telemetry'>,
  settings: ExecutionSettings,
  hooks: ExecutionHooks,
): Promise<DirectiveResult[]> => {
  const entries = directives.map((value, index) => ({ reading: readDirective(value), index }))
  const isParallel = ({ reading }: { readonly reading: CheckedDirective }) =>
    settings.parallel && reading.invalid === null && reading.directive.execution === 'parallel'
  const shared = { ...batch, approvalTurn: oneAtATime(), telemetry: hooks.telemetry }
  const results: DirectiveResult[] = []
  for (const group of groupDirectives(entries, isParallel)) {
    const members = group.map(async ({ reading, index }) => {
      const result = await executeDirective(reading, index, shared, settings)
      hooks.feedback(result.feedback)
      return result
    })
    results.push(...(await Promise.all(members)))
  }
  return results
}

/** Also within a parallel group: a user can only read one question at a time. */
const oneAtATime = (): DirectiveBatch['approvalTurn'] => {
  let last: Promise<unknown> = Promise.resolve()
  return (ask) => {
    const answer = last.then(ask)
    last = answer.catch(() => {})
    return answer
  }
}
