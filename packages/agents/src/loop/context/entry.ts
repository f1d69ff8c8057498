// A piece of the conversation as the model reads it, and its size.
import type { ModelMessage, ModelToolOutput, StepContent } from '../../model/model.ts'
import { type CallView, stepMessages } from '../transcript/rendering.ts'

/** Characters of a token: about right for English and code. Where a provider counts more, its count scales the estimate. */
export const TOKEN_CHARS = 4

/** A result up to this length stays: its placeholder would hardly be shorter. */
const CLEARED_CHARS_MIN = 300

/** A prompt, a text put before the model, or an answer with the outcomes of its calls. */
export type Entry = {
  readonly run: string
  readonly seq: number
  /** The first event that a reader needs to see this entry as it is: the queued prompt of its turn, or one before it. */
  readonly origin: number
} & (
  | { readonly kind: 'prompt' | 'message'; readonly message: ModelMessage }
  | {
      readonly kind: 'step'
      readonly content: readonly StepContent[]
      readonly calls: readonly CallView[]
      /** Tokens of the request and of the answer, as the provider counted them. */
      readonly contextTokens: number | undefined
      /** The length of the run's answer after the step; absent: the step is the whole answer. */
      readonly endChars?: number | undefined
    }
)

export interface ViewItem {
  readonly entry: Entry
  /** The results of its calls are no longer shown. */
  readonly isCleared: boolean
  /** Null: no request has had it yet. */
  messages: readonly ModelMessage[] | null
  /** The characters of the messages; null: nobody has counted them yet. */
  chars: number | null
}

export const renderEntry = (entry: Entry, isCleared: boolean): readonly ModelMessage[] => {
  if (entry.kind !== 'step') return [entry.message]
  const messages = stepMessages(entry.content, entry.calls)
  return isCleared ? messages.map(withoutResults) : messages
}

/** An estimate. */
export const tokensOf = (item: ViewItem): number => {
  item.chars ??= charsOf(item.messages ?? [])
  return Math.ceil(item.chars / TOKEN_CHARS)
}

export const charsOf = (messages: readonly ModelMessage[]): number => JSON.stringify(messages).length

const withoutResults = (message: ModelMessage): ModelMessage =>
  message.role === 'tool'
    ? { ...message, content: message.content.map((part) => ({ ...part, output: cleared(part.output) })) }
    : message

const CLEARED = '[This result is no longer shown, to make room. Make the call again if you need it.]'

const cleared = (output: ModelToolOutput): ModelToolOutput => {
  if (output.type !== 'text' && output.type !== 'json') return output
  const length = output.type === 'text' ? output.value.length : JSON.stringify(output.value).length
  return length > CLEARED_CHARS_MIN ? { type: 'text', value: CLEARED } : output
}
