// A listener interrupted a spoken answer. The log keeps the part that was heard.
import { type Answers, type InterruptCommand, type Refusal, refuse } from '../../commands.ts'
import { thoughtChars } from '../../projections/message-parts.ts'
import type { DecisionBuilder } from '../decision-builder.ts'
import { cancel } from './runs.ts'

/** Works after the end of a run, too: models write faster than voices speak. */
export const interrupt = (w: DecisionBuilder, command: InterruptCommand): Answers['interrupt'] | Refusal => {
  const { runId, audioMs, actor } = command
  const { conversation, lifecycle } = w.state
  const answer = conversation.messages.findLast((each) => each.role === 'assistant' && each.runId === runId)
  if (!answer) return refuse('message_not_found')
  const { content, parts = [] } = answer
  const chars = Math.min(Math.max(0, Math.floor(command.heardChars)), content.length)
  const run = lifecycle.run?.runId === runId && lifecycle.run.phase !== 'cancelling' ? lifecycle.run : null
  const payload = {
    run_id: runId,
    attempt: run?.attempt ?? 0,
    keep: { chars, parts: parts.length, thinking_chars: thoughtChars(conversation, runId, parts.length) },
    interrupted: {
      text: content.slice(0, chars).toWellFormed(),
      ...(audioMs !== undefined && { audio_ms: Math.max(0, Math.round(audioMs)) }),
    },
  }
  // Both in one write: nothing may be added to the answer in between.
  if (run) {
    w.addToRun('output_superseded', payload)
    cancel(w, { type: 'cancel', runId, reason: 'interrupted', ...(actor !== undefined && { actor }) })
  } else if (chars < content.length) w.addToOtherRun({ run: runId }, 'output_superseded', payload)
  return { runId, withdrawnChars: content.length - chars, cancelled: run !== null }
}
