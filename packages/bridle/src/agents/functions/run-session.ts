// The session as the `run` function of an agent with `durable: false` sees it. Each method appends one or two events to the log.
import { type AgentRun, agentEventItem } from '../agent-run.ts'
import { createMemory, liveMemory } from '../memory.ts'
import type { AgentSession } from '../session.ts'
import { artifactItem, usageItem } from '../session-items.ts'
import { checkCall, checkpointPayload, checkText, messagesBefore, TextSender } from '../session-parts.ts'
import { StepError } from '../steps/errors.ts'
import { CallBatch } from './call-batch.ts'
import { runTool, waitForApproval } from './tool-call.ts'

export const createAgentSession = (run: AgentRun): AgentSession => {
  const newCall = callIds()
  const batch = new CallBatch(0, (item) => run.report(item))
  const sender = new TextSender(run)
  const emit = (type: string, payload: unknown) => run.track(async () => run.report(agentEventItem(type, payload)))
  const refuse = (method: string) =>
    run.track(async () => {
      throw new StepError('not_durable', `session.${method}() needs a durable agent: remove "durable: false" from it.`)
    })

  return {
    id: run.job.key.id,

    text: (chunk) =>
      run.track(async () => {
        checkText(chunk)
        await sender.send(chunk)
      }),

    thinking: (text) => emit('thinking', { text }),

    tool: (name, args, execute, options = {}) =>
      run.track(async () => {
        const call = newCall(name, options.id)
        batch.add(call.id)
        return runTool(run, call, args, execute, options)
      }),

    approval: ({ subject, ...question }) =>
      run.track(async () => waitForApproval(run, newCall(subject, undefined), question)),

    step: () => refuse('step'),
    sleep: () => refuse('sleep'),
    waitFor: () => refuse('waitFor'),

    messages: async () => messagesBefore(run, new Set([run.job.runId])),
    memory: createMemory(
      (start) => run.track(start),
      liveMemory(run.reporter, run.ports.clock),
      (proposal) => run.report(proposal),
    ),

    checkpoint: (summary) => emit('session_checkpoint', checkpointPayload(summary)),
    artifact: (...content) => run.track(async () => run.report(artifactItem(...content))),
    directive: (directive) => emit('directive', directive),
    usage: (spent) => run.track(async () => run.report(usageItem(spent))),
    emit: (type: string, payload: unknown) => emit(type, payload),
  }
}

/** Numbers the calls in order, so that a second attempt that makes the same calls gets the same ids. */
const callIds = () => {
  const used = new Set<string>()
  let count = 0
  return (tool: string, requestedId: string | undefined) => {
    const own = checkCall(tool, requestedId)
    count += 1
    const id = own ?? `call-${count}`
    if (used.has(id)) throw new TypeError(`The call id "${id}" was used before in this run.`)
    used.add(id)
    return { id, tool }
  }
}
