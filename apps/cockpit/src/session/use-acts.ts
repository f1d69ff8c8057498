// The acts of a person upon the session of the page. A refusal is shown, and nothing else happens.
import type { FabricClient, HarnessMessage } from 'bridle/client'
import { plural } from 'bridle/words'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { needsConfirmation } from '../imported/confirmation.ts'
import { useServer } from '../server/server-context.tsx'
import { sessionPath } from '../shell/paths.ts'
import { showError, showToast } from '../ui/toast.tsx'
import { keepDraft, readDraft } from './composer/drafts.ts'
import { queuedPrompts } from './composer/queued-prompts.ts'
import { draftWith } from './composer/stop-words.ts'
import type { Conversation } from './past/past-conversation.ts'
import { useThreadSource } from './thread/thread-context.tsx'
import { useOpenBranch } from './use-open-branch.ts'

type BranchPoint = NonNullable<Parameters<Conversation['branch']>[0]>

export interface SessionActs {
  /** Branches, and opens the new session. */
  readonly branch: (point?: BranchPoint) => Promise<boolean>
  /** Branches with everything up to the end of an answer. */
  readonly branchAfter: (messageId: string) => Promise<boolean>
  readonly edit: (messageId: string, prompt: string) => Promise<boolean>
  readonly reload: (messageId: string) => Promise<boolean>
  /** Makes a chat with the same agent, and opens it. */
  readonly create: () => Promise<void>
  /** Ends the run. Prompts that go with it come back into the composer. */
  readonly stop: () => Promise<boolean>
  readonly pause: () => Promise<boolean>
  readonly resume: () => Promise<boolean>
  /** Takes a prompt out of the queue. */
  readonly unqueue: (runId: string) => Promise<boolean>
}

export const useActs = (): SessionActs => {
  const { harness, id: ownId, agent, kind } = useThreadSource()
  const { client } = useServer()
  const [, navigate] = useLocation()
  const { open } = useOpenBranch()
  return useMemo(() => {
    const settle = async (answer: Promise<unknown>): Promise<boolean> => {
      try {
        await answer
        return true
      } catch (error) {
        showError(error)
        return false
      }
    }
    const branch = (point: BranchPoint = {}): Promise<boolean> =>
      open(async () => {
        try {
          return String((await harness.branch(point)).sessionId)
        } catch (error) {
          if (!needsConfirmation(error)) throw error
          // The socket has no fields for what a person confirms; the request has.
          return (await client.branch(ownId, { agent, from_event_id: await eventOf(client, ownId, agent, point) })).id
        }
      }, agent)
    return {
      branch,
      branchAfter: (messageId) => {
        const { messages } = harness.getSnapshot()
        const at = messages.findIndex((message) => message.id === messageId)
        // A branch leaves before a prompt; behind the last answer it leaves now.
        const next = messages.slice(at + 1).find((message) => message.role === 'user')
        return branch(next ? { messageId: next.id } : {})
      },
      edit: (messageId, prompt) => settle(harness.edit(messageId, prompt)),
      reload: (messageId) => settle(harness.reload(messageId)),
      create: async () => {
        try {
          const { id } = await client.createChat({ agent })
          navigate(sessionPath({ id, agent }))
        } catch (error) {
          showError(error)
        }
      },
      stop: async () => {
        // Only background work ends with its queue.
        const queued = kind === 'background' ? queuedPrompts(harness.getSnapshot()) : []
        if (!(await settle(harness.cancel()))) return false
        if (queued.length === 0) return true
        const session = { id: ownId, agent }
        keepDraft(
          session,
          draftWith(
            readDraft(session),
            queued.map((prompt) => wholeText(harness, prompt)),
          ),
        )
        showToast({ text: `${plural(queued.length, 'prompt')} of the queue came back into the composer.` })
        return true
      },
      pause: () => settle(harness.pause()),
      resume: () => settle(harness.resume()),
      unqueue: (runId) => settle(harness.cancel({ runId })),
    }
  }, [harness, ownId, agent, kind, client, navigate, open])
}

/** The event that a branch of the socket leaves from: the one before a prompt, or the newest. */
const eventOf = async (
  client: FabricClient,
  id: string,
  agent: string,
  { messageId }: BranchPoint,
): Promise<string> => {
  const { lastEventId } = await client.session(id, agent)
  const [, prompt] = /^m-(\d+)$/.exec(messageId ?? '') ?? []
  return prompt === undefined ? lastEventId : lastEventId.replace(/(?<=^ev-)\d+/, String(Number(prompt) - 1))
}

/** The state has the beginning of a long prompt while it waits, and all of it once it was taken back. */
const wholeText = (harness: Conversation, { id, content }: HarnessMessage): string => {
  const now = harness.getSnapshot().messages.findLast((message) => message.id === id)?.content ?? ''
  return now.length > content.length ? now : content
}
