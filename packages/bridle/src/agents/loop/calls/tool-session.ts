// The session as a tool sees it, for as long as its call runs.
import type { ReportItem } from '../../../kernel/commands.ts'
import type { Clock } from '../../../kernel/ports/clock.ts'
import type { RunReporter } from '../../../kernel/session/run-reporter.ts'
import { RunEndedError } from '../../errors.ts'
import { createMemory, liveMemory } from '../../memory.ts'
import { agentEventItem, artifactItem, directiveItem, usageItem } from '../../session-items.ts'
import { LOOP_EVENT_TYPES, type ToolSession } from '../../tools/tool.ts'

/** `close` ends it: a tool that has returned, or is past its deadline, adds nothing to the log any more. */
export const createToolSession = (
  id: string,
  reporter: RunReporter,
  clock: Clock,
  signal: AbortSignal,
): { readonly session: ToolSession; readonly close: () => void } => {
  let isOpen = true
  const track = (start: () => Promise<void>): Promise<void> => {
    const started = startNow(start)
    // A tool that does not await a call must not end the process with it.
    started.catch(() => {})
    return started
  }
  const startNow = async (start: () => Promise<void>) => {
    signal.throwIfAborted()
    if (!isOpen) throw new RunEndedError('The call is over.')
    await start()
  }
  const report = (make: () => ReportItem) => track(async () => reporter.report([make()]))
  const session: ToolSession = {
    id,
    // The session holds these messages: the tool may change its own copy.
    messages: async () => structuredClone(reporter.session.messages()),
    memory: createMemory(track, liveMemory(reporter, clock), (proposal) => reporter.report([proposal])),
    artifact: (...content) => report(() => artifactItem(...content)),
    directive: (directive) => report(() => directiveItem(directive)),
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
