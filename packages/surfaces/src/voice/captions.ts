// Captions come from the log, so a voice client never reads anything that a restart would retract.
import { type AnyEvent, type Event, eventId } from '@bridle/kernel/event'
import { withoutCallId } from '@bridle/kernel/ids'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import { answerOf } from '@bridle/kernel/projections/message-parts'
import type { Session } from '@bridle/kernel/session/session'
import type { Audience, CommittedChange } from '@bridle/kernel/session/subscribers'
import type { VoiceResponseEnd, VoiceServerMessage, VoiceTranscript, VoiceUsage } from '@bridle/wire/voice/wire'

/** Stateful, because each line has a single listener. */
export class Captions implements Audience {
  readonly key = 'voice'
  readonly #session: Pick<Session, 'state' | 'incarnations'>
  readonly #usage = new Map<string, VoiceUsage>()
  /** Run whose interruption was reported, so that the cancellation in the same write is ignored. */
  #interruptedRun: string | null = null

  constructor(session: Pick<Session, 'state' | 'incarnations'>) {
    this.#session = session
  }

  /** Returns a line per message, since JSON text contains no line breaks. */
  encode({ events }: CommittedChange): string {
    const messages: string[] = []
    for (const event of events) for (const message of this.#messages(event)) messages.push(JSON.stringify(message))
    return messages.join('\n')
  }

  #messages(event: AnyEvent): readonly VoiceServerMessage[] {
    // Ignore claims of a runner.
    if (event.hearsay) return none
    const runId = event.run ?? ''
    switch (event.type) {
      case 'token':
        return [{ type: 'text_delta', role: 'assistant', delta: event.payload.text, runId }]
      case 'prompt_queued':
      case 'steered':
        return [promptTranscript(event)]
      case 'response':
        return event.payload.so_far ? this.#transcript(runId) : none
      case 'output_superseded':
        return this.#superseded(event)
      case 'tool_call': {
        const { tool_call_id: id, name, arguments: input } = event.payload
        return [{ type: 'tool_call', id, name, input: withoutCallId(input), runId }]
      }
      case 'approval_required': {
        const { request_id: id, tool_call_id, tool_name: name, reason, arguments: input = {} } = event.payload
        const call = { id: tool_call_id || id, name, input: withoutCallId(input), runId }
        return [{ type: 'tool_call', ...call, approval: { id, reason } }]
      }
      case 'usage':
        this.#countUsage(event)
        return none
      case 'completed':
        return [...this.#transcript(runId), this.#done(event, runId, 'completed')]
      case 'error':
        return this.#failed(event)
      case 'cancel_requested':
        return event.run === undefined || runId === this.#interruptedRun
          ? none
          : [...this.#transcript(runId), this.#done(event, runId, 'interrupted')]
      case 'prompt_dropped':
        return [this.#done(event, event.payload.run_id, 'interrupted')]
      default:
        return none
    }
  }

  /** An interruption keeps what was heard. Any other such event withdraws text that is about to be rewritten. */
  #superseded(event: Event<'output_superseded'>): readonly VoiceServerMessage[] {
    const { run_id: runId, interrupted } = event.payload
    if (!interrupted) return this.#transcript(runId)
    this.#interruptedRun = runId
    const messageId = this.#answer(runId)?.id ?? ''
    const { text } = interrupted
    return [
      { type: 'transcript', role: 'assistant', text, runId, messageId, interrupted: true },
      this.#done(event, runId, 'interrupted'),
    ]
  }

  #failed(event: Event<'error'>): readonly VoiceServerMessage[] {
    const { turn_id, message } = event.payload
    const runId = event.run ?? turn_id ?? ''
    return [...this.#transcript(runId), { ...this.#done(event, runId, 'failed'), message }]
  }

  #transcript(runId: string): readonly VoiceTranscript[] {
    const answer = this.#answer(runId)
    if (!answer) return none
    return [{ type: 'transcript', role: 'assistant', text: answer.content, runId, messageId: answer.id }]
  }

  #answer(runId: string): HarnessMessage | undefined {
    return answerOf(this.#session.state.conversation.messages, runId)
  }

  #done({ seq }: AnyEvent, runId: string, status: VoiceResponseEnd['status']): VoiceResponseEnd {
    const usage = this.#usage.get(runId)
    this.#usage.delete(runId)
    const cursor = eventId(seq, this.#session.incarnations.own)
    return { type: 'response_done', runId, status, cursor, ...(usage && { usage }) }
  }

  #countUsage({ run = '', payload }: Event<'usage'>): void {
    const before = this.#usage.get(run) ?? { inputTokens: 0, outputTokens: 0, costUsd: null }
    const { input_tokens = 0, output_tokens = 0, cost_usd } = payload
    this.#usage.set(run, {
      inputTokens: before.inputTokens + input_tokens,
      outputTokens: before.outputTokens + output_tokens,
      costUsd: cost_usd === undefined ? before.costUsd : (before.costUsd ?? 0) + cost_usd,
    })
  }
}

const promptTranscript = ({ payload }: Event<'prompt_queued'> | Event<'steered'>): VoiceTranscript => ({
  type: 'transcript',
  role: 'user',
  text: payload.text,
  runId: payload.run_id,
  messageId: payload.message_id,
})

const none: readonly never[] = []
