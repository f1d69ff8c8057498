// A command without an answer yet: its id, its text, and the promise of the answer.
import type { HarnessCommand } from '../../surfaces/transport/wire.ts'
import type { HarnessError } from './error.ts'
import type { KeptPrompt } from './kept-prompts.ts'
import type { HarnessAnswer, HeldPrompt } from './options.ts'

export interface PendingCommand {
  readonly id: string
  readonly command: HarnessCommand
  /** The same text each time: the server refuses a known id with another body. Empty when the command has no JSON. */
  readonly text: string
  readonly since: number
  readonly promise: Promise<HarnessAnswer>
  readonly resolve: (answer: HarnessAnswer) => void
  readonly reject: (error: HarnessError) => void
  sent: boolean
  /** How often the server answered `unavailable`. */
  unavailable: number
}

export const pendingCommand = (request: HarnessCommand): PendingCommand => {
  const id = request.commandId ?? newId()
  const command = { ...request, commandId: id }
  const { promise, resolve, reject } = Promise.withResolvers<HarnessAnswer>()
  const text = textOf(command)
  return { id, command, text, since: Date.now(), promise, resolve, reject, sent: false, unavailable: 0 }
}

/** May be sent again after a reconnect. Minutes late, a cancel, an approval or a signal could reach another run or call. */
export const isRepeatable = ({ command: { type } }: PendingCommand): boolean =>
  !['cancel', 'approve', 'signal'].includes(type)

export const heldPromptsOf = ({ id, command, since, sent }: PendingCommand): HeldPrompt[] =>
  command.type === 'submit' ? [{ id, prompt: command.prompt, since, sent }] : []

/** With the same text: the server refuses a known id with another body. */
export const keptPromptsOf = ({ id, command, since, sent, text }: PendingCommand): KeptPrompt[] =>
  command.type === 'submit' && text !== '' ? [{ command: { ...command, commandId: id }, since, sent }] : []

const textOf = (command: HarnessCommand): string => {
  try {
    return JSON.stringify(command)
  } catch {
    return ''
  }
}

/** Not `randomUUID`: pages without https have none. */
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
