// A frame of a wire in a line: its kind, what it says, and its size.

import type { ClientMessage, DeltaOperation, HealthEnvelope, ServerMessage, StreamEnvelope } from 'bridle/client'
import { visibleText } from '../../../ui/plain-text.ts'
import { ROW_CHARS } from '../log/merged-text.ts'

export interface WireFrame {
  readonly id: number
  readonly at: number
  readonly isOut: boolean
  readonly kind: string
  readonly words: string
  readonly bytes: number
}

export type FrameText = Pick<WireFrame, 'kind' | 'words'>

export const socketFrameText = (message: ServerMessage | ClientMessage): FrameText => {
  const words = wordsOf(message)
  return { kind: kindOf(message), words: visibleText(words.slice(0, ROW_CHARS)) }
}

const kindOf = (message: ServerMessage | ClientMessage): string => {
  if (message.type !== 'commands') return message.type
  return message.commands[0]?.type ?? 'commands'
}

const wordsOf = (message: ServerMessage | ClientMessage): string => {
  switch (message.type) {
    case 'state':
      return `whole state${message.seq === undefined ? '' : ` at ${message.seq}`}`
    case 'delta':
      return operationsText(message.operations)
    case 'ack':
      return `${message.commandId} ${message.ok ? 'taken' : `refused: ${message.message ?? message.code ?? ''}`}`
    case 'error':
      return message.message
    case 'mark':
    case 'seen':
      return `mark ${message.seq}`
    case 'commands':
      return message.commands.map(({ commandId }) => commandId ?? '').join(', ')
    default:
      return ''
  }
}

const operationsText = (operations: readonly DeltaOperation[]): string => {
  const [first, ...more] = operations
  if (!first) return 'nothing'
  const { type, path, value } = first
  const text = typeof value === 'string' ? ` “${value}”` : ''
  return `${type} ${path.join('/')}${text}${more.length === 0 ? '' : `, and ${more.length} more`}`
}

export const envelopeFrameText = ({ type, seq }: Pick<StreamEnvelope, 'type' | 'seq'>): FrameText => ({
  kind: visibleText(type),
  words: `event ${seq}`,
})

export const healthFrameText = ({ payload }: HealthEnvelope): FrameText => ({
  kind: 'health',
  words: visibleText(`score ${payload.score}${payload.flags.length === 0 ? '' : `, ${payload.flags.join(', ')}`}`),
})
