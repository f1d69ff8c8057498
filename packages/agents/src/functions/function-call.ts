// Calls the `run` function of an agent: its input is checked before, and its result after.
import type { ReportItem } from '@bridle/kernel/commands'
import type { AgentDefinition } from '../agent.ts'
import { parseRunInput, parseRunResult } from '../schemas/input.ts'
import { attachmentsOf } from '../session/attachments.ts'
import { withDirectiveSchemas } from '../session/directive-schemas.ts'
import { shortErrorMessage } from '../session/error-message.ts'
import type { AgentSession } from '../session.ts'
import type { FunctionRun } from './function-run.ts'

export const callFunction = async (
  definition: AgentDefinition,
  run: FunctionRun,
  session: AgentSession,
): Promise<ReportItem> => {
  const { prompt, input, settings } = run.job
  try {
    if (definition.run === null) return { type: 'failed', message: 'The agent has no run function.' }
    const given = await parseRunInput(definition, prompt, input)
    if ('problem' in given) return { type: 'failed', message: given.problem, reason: 'input_invalid' }
    const { signal } = run
    const returned = await definition.run({
      input: given.value,
      session: withDirectiveSchemas(run, session, definition.directives),
      attachments: attachmentsOf(input, { uploads: run.ports.uploads, tenant: run.job.key.tenant }),
      signal,
      ...(typeof settings.workspace_path === 'string' && { workspace: settings.workspace_path }),
    })
    // Calls that the agent started and did not await still belong to the run.
    await run.whenIdle()
    const result = await parseRunResult(definition, returned)
    if ('problem' in result) return { type: 'failed', message: result.problem, reason: 'output_invalid' }
    return { type: 'finished', ...(result.value !== undefined && { result: result.value }) }
  } catch (error) {
    const { key, runId, attempt } = run.job
    if (!run.isOver) run.ports.onFailure?.({ key, runId, attempt, error, tool: null })
    const transient = (error as { transient?: unknown } | null)?.transient === true
    return { type: 'failed', message: shortErrorMessage(error), ...(transient && { transient }) }
  }
}
