// The artifacts and resources of the replaced part of a conversation: no summary may lose them, so they are listed behind it.
import { truncate } from '../../../kernel/text/truncate.ts'
import { resourcesOf } from '../calls/arguments.ts'
import type { LoopRun } from '../loop-run.ts'
import { argumentsOf, type CallView, toolNameOf } from '../transcript/rendering.ts'
import type { SummaryPlan } from './cut-plan.ts'
import { REFERENCE_CHARS_MAX, REFERENCES_MAX } from './limits.ts'

export interface References {
  readonly artifacts: string[]
  readonly resources: string[]
}

/** The lists of the last summary, and what came since. */
export const referencesOf = (run: LoopRun, { replaced, keptFrom }: SummaryPlan): References => {
  const { entries } = run.transcript
  const { lastSummary } = entries
  const calls = replaced.flatMap(({ entry }) => (entry.kind === 'step' ? entry.calls : []))
  return {
    artifacts: newest([...(lastSummary?.artifacts ?? []), ...entries.artifactsBefore(keptFrom)]),
    resources: newest([...(lastSummary?.resources ?? []), ...calls.flatMap((view) => resourcesIn(run, view))]),
  }
}

/** A tool that has changed may not understand its old arguments. */
const resourcesIn = ({ toolset }: LoopRun, view: CallView): readonly string[] => {
  const tool = view.outcome === null ? undefined : toolset.get(toolNameOf(view))
  return (tool && resourcesOf(tool, argumentsOf(view))) ?? []
}

/** A name that comes again is as new as its last mention. */
const newest = (names: readonly string[]): string[] =>
  [...new Set(names.map((name) => truncate(name, REFERENCE_CHARS_MAX)).toReversed())].slice(0, REFERENCES_MAX).reverse()
