// A command from the asking on: its id, its text, and the promise of its answer.
import type { HarnessCommand } from '../../surfaces/transport/wire.ts'
import type { HarnessError } from './error.ts'
import type { HarnessAnswer, HeldPrompt } from './options.ts'

export interface PendingCommand {
  readonly id: string
  readonly command: HarnessCommand
  /** The same each time it is sent: the same id with another body would be refused. Empty when it has no JSON. */
  readonly text: string
  readonly since: number
  readonly promise: Promise<HarnessAnswer>
  readonly resolve: (answer: HarnessAnswer) => void
  readonly reject: (error: HarnessError) => void
  sent: boolean
  /** How often the server could not say what became of it. */
  unavailable: number
}

export const pendingCommand = (given: HarnessCommand): PendingCommand => {
  const id = given.commandId ?? newId()
  const command = { ...given, commandId: id }
  const { promise, resolve, reject } = Promise.withResolvers<HarnessAnswer>()
  const text = textOf(command)
  return { id, command, text, since: Date.now(), promise, resolve, reject, sent: false, unavailable: 0 }
}

/** Whether it may be sent again after a cut. Minutes late, a cancel or an approval may hit what nobody meant. */
export const isRepeatable = ({ command }: PendingCommand): boolean =>
  command.type !== 'cancel' && command.type !== 'approve'

export const heldPromptsOf = ({ id, command, since, sent }: PendingCommand): HeldPrompt[] =>
  command.type === 'submit' ? [{ id, prompt: command.prompt, since, sent }] : []

const textOf = (command: HarnessCommand): string => {
  try {
    return JSON.stringify(command)
  } catch {
    return ''
  }
}

/** Not `randomUUID`: pages that did not come by https have none. */
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
