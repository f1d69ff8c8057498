// The session as an agent's `run` function sees it. Each method appends one or two events to the log.

import { isId } from '../kernel/event.ts'
import { type AgentRun, agentEventItem } from './agent-run.ts'
import { TEXT_CHARS_MAX } from './limits.ts'
import type { AgentSession } from './session.ts'
import { artifactItem, usageItem } from './session-items.ts'
import { runTool, waitForApproval } from './tool-call.ts'

export const createAgentSession = (run: AgentRun): AgentSession => {
  const newCall = callIds()
  let unsent = 0
  const emit = (type: string, payload: unknown) => run.track(async () => run.report(agentEventItem(type, payload)))

  return {
    id: run.job.key.id,

    text: (chunk) =>
      run.track(async () => {
        if (typeof chunk !== 'string') throw new TypeError('session.text() takes a text.')
        for (let from = 0; from < chunk.length; from += TEXT_CHARS_MAX) {
          const piece = chunk.slice(from, from + TEXT_CHARS_MAX)
          unsent += piece.length
          await run.reporter.token(piece)
          // Pacing merges fast tokens into one event. An agent that never pauses waits for the log here, or its text would pile up.
          if (unsent < TEXT_CHARS_MAX) continue
          unsent = 0
          await run.report()
        }
      }),

    thinking: (text) => emit('thinking', { text }),

    tool: (name, args, execute, options = {}) =>
      run.track(async () => runTool(run, newCall(name, options.id), args, execute, options)),

    approval: ({ subject, ...question }) =>
      run.track(async () => waitForApproval(run, newCall(subject, undefined), question)),

    checkpoint: (summary) =>
      emit('session_checkpoint', { checkpoint_type: 'step', status: 'completed', summary_text: summary }),

    artifact: (...content) => run.track(async () => run.report(artifactItem(...content))),

    usage: (spent) => run.track(async () => run.report(usageItem(spent))),

    emit: (type: string, payload: unknown) => emit(type, payload),
  }
}

/** Numbers the calls in order, so that a second attempt that makes the same calls gets the same ids. */
const callIds = () => {
  const used = new Set<string>()
  let count = 0
  return (tool: unknown, requestedId: string | undefined) => {
    if (typeof tool !== 'string' || tool === '') throw new TypeError('A tool has a name.')
    count += 1
    const id = requestedId ?? `call-${count}`
    if (!isId(id)) throw new TypeError('A call id may have letters, digits and . _ : @ - only, at most 128.')
    if (used.has(id)) throw new TypeError(`The call id "${id}" was used before in this run.`)
    used.add(id)
    return { id, tool }
  }
}
