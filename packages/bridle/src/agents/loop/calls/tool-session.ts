// The session as a tool sees it, for as long as its call runs.
import type { ReportItem } from '../../../kernel/commands.ts'
import type { RunReporter } from '../../../kernel/session/run-reporter.ts'
import { agentEventItem } from '../../agent-run.ts'
import { RunEndedError } from '../../errors.ts'
import { artifactItem, usageItem } from '../../session-items.ts'
import { LOOP_EVENT_TYPES, type ToolSession } from '../../tool.ts'

/** `close` ends it: a tool that has returned, or is past its deadline, adds nothing to the log any more. */
export const createToolSession = (
  id: string,
  reporter: RunReporter,
  signal: AbortSignal,
): { readonly session: ToolSession; readonly close: () => void } => {
  let isOpen = true
  const report = (make: () => ReportItem): Promise<void> => {
    const reported = reportNow(make)
    // A tool that does not await a call must not end the process with it.
    reported.catch(() => {})
    return reported
  }
  const reportNow = async (make: () => ReportItem) => {
    signal.throwIfAborted()
    if (!isOpen) throw new RunEndedError('The call is over.')
    await reporter.report([make()])
  }
  const session: ToolSession = {
    id,
    messages: async () => reporter.session.messages(),
    artifact: (...content) => report(() => artifactItem(...content)),
    usage: (spent) => report(() => usageItem(spent)),
    emit: (type: string, payload: unknown) =>
      report(() => {
        if (LOOP_TYPES.has(type)) throw new TypeError(`"${type}" is not an event that a tool can emit.`)
        return agentEventItem(type, payload)
      }),
  }
  return {
    session,
    close: () => {
      isOpen = false
    },
  }
}

const LOOP_TYPES: ReadonlySet<string> = new Set(LOOP_EVENT_TYPES)
