import type { AppendMessage, ExternalStoreAdapter } from '@assistant-ui/react'
import { type OpenQuestion, openQuestions } from '@bridle/client/harness/questions'
import type { HarnessLike } from '@bridle/react/harness-like'

/** Options of the commands behind assistant-ui's composer and buttons. */
export interface CommandOptions {
  /** A prompt during a run waits for its turn (the default) or steers the run. */
  readonly whileRunning?: 'wait' | 'steer'
  /** Called when a command is refused or cannot be sent. Default: logs to the console. */
  readonly onError?: (error: unknown) => void
}

type RuntimeAdapter = ExternalStoreAdapter
type RuntimeQueue = NonNullable<RuntimeAdapter['queue']>
type RuntimeCommands = Pick<
  RuntimeAdapter,
  'onNew' | 'onEdit' | 'onReload' | 'onCancel' | 'onAddToolResult' | 'onRespondToToolApproval'
> & {
  readonly queue: Pick<RuntimeQueue, 'enqueue' | 'steer' | 'move' | 'edit' | 'remove'>
}

export const runtimeCommands = (client: HarnessLike, options: () => CommandOptions): RuntimeCommands => {
  const report = (error: unknown) => {
    const { onError = console.error } = options()
    if (!isRemoval(error)) onError(error)
  }
  // assistant-ui cannot show why a command failed, so report it instead of rejecting.
  const settle = async (answer: Promise<unknown>): Promise<void> => void (await answer.catch(report))
  const submit = (message: AppendMessage) => settle(client.submit(textOf(message)))
  const steer = (message: AppendMessage) => settle(client.steer(textOf(message)))
  return {
    onNew: submit,
    onEdit: (message) => (message.sourceId ? settle(client.edit(message.sourceId, textOf(message))) : submit(message)),
    // `sourceId` is the answer to regenerate.
    onReload: (_parentId, { sourceId }) => settle(client.reload(sourceId ?? undefined)),
    onCancel: () => settle(client.cancel()),
    onAddToolResult: async ({ toolCallId, result }) => {
      const isAbout = (question: OpenQuestion) => question.toolCallId === toolCallId || question.id === toolCallId
      const question = openQuestions(client.getSnapshot()).find(isAbout)
      // Another client may have answered it. Pages cannot supply results of other calls.
      if (!question) return report(new Error('This question is no longer open.'))
      const { declined, ...given } = answerOf(result)
      await settle(declined ? client.approve(question.id, 'denied') : client.answer(question.id, given))
    },
    onRespondToToolApproval: async ({ approvalId, approved, reason }) => {
      const answer = client.approve(
        approvalId,
        approved ? 'approved' : 'denied',
        reason === undefined ? {} : { reason },
      )
      answer.catch(report)
      // Reject, so that the card keeps its buttons for a retry.
      await answer
    },
    // A queue keeps the composer usable during a run. The server defines the order.
    queue: {
      enqueue: submit,
      // assistant-ui calls this for every prompt during a run, and sets `message.steer` only if the user chose to steer.
      steer: (message) => (message.steer || options().whileRunning === 'steer' ? steer(message) : submit(message)),
      remove: (id) => client.discard(id),
      move: () => {},
      edit: () => {},
    },
  }
}

type QuestionResult = NonNullable<Parameters<HarnessLike['answer']>[1]> & { readonly declined?: boolean }

/** `{ answers }`, `{ values }`, or `{ declined: true }`. The server validates the contents. */
const answerOf = (result: unknown): QuestionResult => (typeof result === 'object' && result !== null ? result : {})

const isRemoval = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'removed'

const textOf = ({ content }: AppendMessage): string =>
  content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
