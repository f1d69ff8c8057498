// What assistant-ui's composer and buttons ask, as commands to the harness.
import type { AppendMessage, ExternalStoreAdapter } from '@assistant-ui/react'
import type { HarnessLike } from '../react/harness-like.ts'

export interface CommandOptions {
  /** What a prompt does while a run is in progress: waits for its turn (the default), or steers the run. */
  readonly whileRunning?: 'wait' | 'steer'
  /** A command that was refused or could not be sent; default: the console. */
  readonly onError?: (error: unknown) => void
}

type RuntimeAdapter = ExternalStoreAdapter
type RuntimeQueue = NonNullable<RuntimeAdapter['queue']>
type RuntimeCommands = Pick<
  RuntimeAdapter,
  'onNew' | 'onEdit' | 'onReload' | 'onCancel' | 'onRespondToToolApproval'
> & {
  readonly queue: Pick<RuntimeQueue, 'enqueue' | 'steer' | 'move' | 'edit' | 'remove'>
}

export const runtimeCommands = (client: HarnessLike, options: () => CommandOptions): RuntimeCommands => {
  const tell = (error: unknown) => {
    const { onError = console.error } = options()
    if (!isRemoval(error)) onError(error)
  }
  // assistant-ui cannot show why a command failed, so these do not reject.
  const ask = async (asked: Promise<unknown>): Promise<void> => void (await asked.catch(tell))
  const submit = (message: AppendMessage) => ask(client.submit(textOf(message)))
  const steer = (message: AppendMessage) => ask(client.steer(textOf(message)))
  return {
    onNew: submit,
    onEdit: (message) => (message.sourceId ? ask(client.edit(message.sourceId, textOf(message))) : submit(message)),
    // `sourceId` is the answer to be given anew.
    onReload: (_parentId, { sourceId }) => ask(client.reload(sourceId ?? undefined)),
    onCancel: () => ask(client.cancel()),
    onRespondToToolApproval: async ({ approvalId, approved, reason }) => {
      const answer = client.approve(
        approvalId,
        approved ? 'approved' : 'denied',
        reason === undefined ? {} : { reason },
      )
      answer.catch(tell)
      // Rejects too: the card's buttons stay for another try.
      await answer
    },
    // With a queue the composer stays usable while a run is in progress. The order is kept by the server.
    queue: {
      enqueue: submit,
      // Also for every prompt while a run is in progress; only then does `steer` say that the user meant it.
      steer: (message) => (message.steer || options().whileRunning === 'steer' ? steer(message) : submit(message)),
      remove: (id) => client.discard(id),
      move: () => {},
      edit: () => {},
    },
  }
}

/** A held prompt that the user took back. */
const isRemoval = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'removed'

const textOf = ({ content }: AppendMessage): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
