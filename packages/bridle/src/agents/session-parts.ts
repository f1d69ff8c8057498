// Parts of an agent's session that need nothing but its reporter.
import { isId } from '../kernel/event.ts'
import type { JsonObject } from '../kernel/json.ts'
import type { HarnessMessage } from '../kernel/projections/harness-state.ts'
import type { RunReporter } from '../kernel/session/run-reporter.ts'
import { INPUT_SUBJECT } from '../kernel/user-input.ts'
import { TEXT_CHARS_MAX } from './limits.ts'

/** Streams the answer of a run. */
export class TextSender {
  readonly #reporter: RunReporter
  #unsent = 0

  constructor(reporter: RunReporter) {
    this.#reporter = reporter
  }

  async send(text: string): Promise<void> {
    for (let from = 0; from < text.length; from += TEXT_CHARS_MAX) {
      const piece = text.slice(from, from + TEXT_CHARS_MAX)
      this.#unsent += piece.length
      await this.#reporter.token(piece)
      // Pacing merges fast tokens into one event. An agent that never pauses waits for the log here, or its text would pile up.
      if (this.#unsent < TEXT_CHARS_MAX) continue
      this.#unsent = 0
      await this.#reporter.report([])
    }
  }
}

export const checkText = (chunk: unknown): void => {
  if (typeof chunk !== 'string') throw new TypeError('session.text() takes a text.')
}

const NO_NAME =
  'A call has a name: the first argument of session.tool() is its name, a text, and so is the `subject` of session.approval(). Tools made with tool() belong in `tools` of an agent with a model.'

/** The author's id of a call, or null. Throws where the name or the id cannot stand in the log. */
export const checkCall = (tool: unknown, id: string | undefined): string | null => {
  if (typeof tool !== 'string' || tool === '') throw new TypeError(NO_NAME)
  if (id !== undefined && !isId(id))
    throw new TypeError('A call id may have letters, digits and . _ : @ - only, at most 128.')
  return id ?? null
}

/** The same for a call that has an effect: a typed text answers a question of that name, and must never approve a call. */
export const checkToolCall = (tool: unknown, id: string | undefined): string | null => {
  if (tool === INPUT_SUBJECT)
    throw new TypeError(`"${INPUT_SUBJECT}" is the name of questions for a text: give the tool another one.`)
  return checkCall(tool, id)
}

export const checkpointPayload = (summary: string): JsonObject => ({
  checkpoint_type: 'step',
  status: 'completed',
  summary_text: summary,
})

/** The conversation up to the answer of these runs, which are one turn. Its last message is the prompt of the turn. */
export const messagesBefore = (
  { reporter }: { readonly reporter: RunReporter },
  runIds: ReadonlySet<string>,
): readonly HarnessMessage[] => {
  const messages = reporter.session.messages()
  const answer = messages.findIndex(({ role, runId }) => role === 'assistant' && runIds.has(runId ?? ''))
  // The session holds these messages: the function may change its own copy.
  return structuredClone(answer < 0 ? messages : messages.slice(0, answer))
}

/** Throws unless the time is in its range; absent is fine. */
export const checkMs = (name: string, ms: number | undefined, max: number): void => {
  if (ms !== undefined && !(typeof ms === 'number' && ms >= 0 && ms <= max))
    throw new RangeError(`${name} is between 0 and ${max}.`)
}
