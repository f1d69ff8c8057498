// The runs of model agents in this process. Starting a run and taking one up differ in their first report only.

import type { ReportItem } from '@bridle/kernel/commands'
import type { Job } from '@bridle/kernel/ports/runner'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import type { AgentDefinition } from '../agent.ts'
import { READ_ARTIFACT } from '../loop/artifacts/read-artifact.ts'
import { runLoop } from '../loop/loop.ts'
import { offerAtOnce } from '../loop/toolset/offer.ts'
import { hasResultArtifacts } from '../loop/toolset/toolset.ts'
import { modelParts } from '../model/model-choice.ts'
import type { AgentRunPorts } from '../run-ports.ts'
import { RunEndedError } from '../session/errors.ts'
import type { RunInHand } from './native.ts'

export const beginModelRun = (
  definition: AgentDefinition,
  how: 'start' | 'attach',
  job: Job,
  reporter: RunReporter,
  ports: AgentRunPorts,
): RunInHand => {
  const stop = new AbortController()
  const rest = new AbortController()
  const end = () => stop.abort(new RunEndedError('The run is over.'))
  reporter.onClose(end)
  const work = reporter
    .report(how === 'start' ? startItems(definition, job, reporter) : [{ type: 'resumed' }])
    .then(() => runLoop(definition, reporter, ports, { signal: stop.signal, rest: rest.signal }))
    .finally(end)
  return {
    work,
    stop: () => stop.abort(new RunEndedError('The run was cancelled.')),
    rest: () => rest.abort(),
  }
}

const startItems = (definition: AgentDefinition, job: Job, reporter: RunReporter): readonly ReportItem[] => [
  { type: 'started', durable: true, steer: true, ...modelNames(definition) },
  // An attempt after a pause or a budget is in the middle of its turn.
  ...(job.continues ? [] : offerAtOnce(definition, job.runId, hasResultArtifacts(reporter) ? [READ_ARTIFACT] : [])),
]

/** The status card names the first model. */
const modelNames = ({ model }: AgentDefinition): { provider?: string; model?: string } => {
  const first = model?.[0]
  return first === undefined ? {} : modelParts(first)
}
