// The text of a run's answer as its log grows, by the rules of the conversation on a session's page.
import type { LogEntry } from 'bridle/client'

export interface AnswerText {
  readonly text: string
  /** A finished answer does not change, unless a listener interrupts it. */
  readonly isOpen: boolean
}

export const NO_ANSWER: AnswerText = { text: '', isOpen: true }

/** The very same value where the event changes nothing. */
export const answerAfter = (answer: AnswerText, { type, payload }: Pick<LogEntry, 'type' | 'payload'>): AnswerText => {
  const { text, keep, interrupted, result } = payload as Payload
  if (type === 'output_superseded' && (answer.isOpen || interrupted !== undefined))
    return { ...answer, text: answer.text.slice(0, keep?.chars ?? 0) }
  if (!answer.isOpen) return answer
  switch (type) {
    case 'token':
      return { ...answer, text: answer.text + (text ?? '') }
    case 'response':
      return { ...answer, text: text ?? '' }
    case 'completed':
      return answer.text === '' && typeof result === 'string' ? { ...answer, text: result } : answer
    case 'cancel_requested':
    case 'turn_end':
      return { ...answer, isOpen: false }
    default:
      return answer
  }
}

interface Payload {
  readonly text?: string
  readonly keep?: { readonly chars: number }
  readonly interrupted?: object
  readonly result?: unknown
}
