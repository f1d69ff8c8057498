// The session as a run has it: each method is one or two entries in the log.

import { isId } from '../kernel/event.ts'
import { type AgentRun, agentEventItem } from './agent-run.ts'
import type { AgentSession } from './session.ts'
import { runTool, waitForApproval } from './tool-call.ts'

export const createAgentSession = (voice: AgentRun): AgentSession => {
  const newCall = callIds()
  let unsent = 0
  const say = (type: string, payload: unknown) => voice.track(async () => voice.report(agentEventItem(type, payload)))

  return {
    id: voice.job.key.id,

    text: (chunk) =>
      voice.track(async () => {
        if (typeof chunk !== 'string') throw new TypeError('session.text() takes a text.')
        for (let from = 0; from < chunk.length; from += TEXT_CHARS_MAX) {
          const piece = chunk.slice(from, from + TEXT_CHARS_MAX)
          unsent += piece.length
          await voice.reporter.token(piece)
          // Pacing merges what comes too fast, into one entry; an agent that never pauses waits for the log here.
          if (unsent < TEXT_CHARS_MAX) continue
          unsent = 0
          await voice.report()
        }
      }),

    thinking: (text) => say('thinking', { text }),

    tool: (name, args, execute, options = {}) =>
      voice.track(async () => runTool(voice, newCall(name, options.id), args, execute, options)),

    approval: ({ subject, ...question }) =>
      voice.track(async () => waitForApproval(voice, newCall(subject, undefined), question)),

    checkpoint: (summary) =>
      say('session_checkpoint', { checkpoint_type: 'step', status: 'completed', summary_text: summary }),

    artifact: (name, text, contentType = 'text/plain; charset=utf-8', kind = 'file') =>
      voice.track(async () => {
        const isText = [name, text, contentType, kind].every((part) => typeof part === 'string')
        if (!isText || name === '') throw new TypeError('session.artifact() takes a name and a text.')
        await voice.report({ type: 'artifact', name, contentType, text, kind })
      }),

    usage: ({ inputTokens, outputTokens, totalTokens, costUsd, contextUsagePct }) =>
      say('usage', {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        total_tokens: totalTokens,
        cost_usd: costUsd,
        context_usage_pct: contextUsagePct,
      }),

    emit: (type: string, payload: unknown) => say(type, payload),
  }
}

/** One token event holds at most about twice this. */
const TEXT_CHARS_MAX = 200_000

/** Ids by the order of calls, so that a second attempt that does the same gets the same ones. */
const callIds = () => {
  const used = new Set<string>()
  let count = 0
  return (tool: unknown, wanted: string | undefined) => {
    if (typeof tool !== 'string' || tool === '') throw new TypeError('A tool has a name.')
    count += 1
    const id = wanted ?? `call-${count}`
    if (!isId(id)) throw new TypeError('A call id may have letters, digits and . _ : @ - only, at most 128.')
    if (used.has(id)) throw new TypeError(`The call id "${id}" was used before in this run.`)
    used.add(id)
    return { id, tool }
  }
}
