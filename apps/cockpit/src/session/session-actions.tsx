// The actions upon the session of the page, for keys and for the palette. Parts of the page that have a state of their own offer theirs
// themselves: the composer, the cards, the inspector.
import { statusWords } from 'bridle/words'
import { useEffect, useMemo } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import { commandCopies, curlCopies, type SessionCopy } from '../actions/copy-as/session-copies.ts'
import { useAction, useActionList } from '../actions/use-action.ts'
import { isSameSession } from '../server/live-store.ts'
import { useLive, useServer } from '../server/server-context.tsx'
import { useCan } from '../server/use-can.ts'
import { announceAct } from '../sessions/acts/pending-acts.ts'
import { applicable } from '../sessions/acts/session-acts.ts'
import { keepLastSession } from '../shell/last-session.ts'
import { copyText } from '../ui/copy-text.ts'
import { visibleText } from '../ui/plain-text.ts'
import { showError } from '../ui/toast.tsx'
import { checkpointOffers } from './checkpoint-offers.ts'
import { queuedPrompts } from './composer/queued-prompts.ts'
import { usePast } from './past/past-context.ts'
import { useSession } from './session-context.tsx'
import { useConnection, useHarnessList, useHarnessValue } from './thread/thread-context.tsx'
import { useActs } from './use-acts.ts'
import { hrefOfView, sessionViews } from './views/views.ts'

export const SessionActions = () => {
  const { id, agent } = useSession()
  const { isReplay } = usePast()
  useEffect(() => {
    if (!isReplay) keepLastSession({ id, agent })
  }, [id, agent, isReplay])
  useRunActions()
  useBranchActions()
  useListActions()
  useViewActions()
  useCopyActions(isReplay)
  return null
}

/** Acts go over the socket: without one there are none. */
const useCanAct = (): boolean => {
  const isOpen = useConnection().phase === 'open'
  return useCan('operate') && isOpen
}

const useRunActions = (): void => {
  const { detail } = useSession()
  const { pause, resume, reload, unqueue, create } = useActs()
  const canAct = useCanAct()
  const status = useHarnessValue((state) => state.sessionStatus) ?? detail.status
  const answer = useHarnessValue((state) => state.messages.findLast(({ role }) => role === 'assistant'))
  const isOver = answer?.status === 'complete' || answer?.status === 'error'
  const queued = useHarnessList(queuedPrompts)
  useAction('session.pause', canAct && statusWords(status).isActive ? pause : null)
  useAction('session.resume', canAct && status === 'paused' ? resume : null)
  useAction('message.reload', canAct && answer && isOver ? () => reload(answer.id) : null)
  useAction('session.create', useCan('operate') ? create : null)
  useActionList(
    'message.unqueue',
    queued.flatMap(({ runId, content }) =>
      runId === undefined || !canAct ? [] : [{ detail: content, run: () => unqueue(runId) }],
    ),
  )
}

const useBranchActions = (): void => {
  const { detail } = useSession()
  const { branch, branchAfter } = useActs()
  const canAct = useCanAct()
  const answerId = useHarnessValue((state) => state.messages.findLast(({ role }) => role === 'assistant')?.id)
  useAction('session.branch', canAct ? () => branch() : null)
  useAction('session.branch_after', canAct && answerId !== undefined ? () => branchAfter(answerId) : null)
  useActionList(
    'session.branch_checkpoint',
    canAct
      ? checkpointOffers(detail.checkpoints).map(({ eventId, ...offer }) => ({
          ...offer,
          run: () => branch({ fromEventId: eventId }),
        }))
      : [],
  )
}

/** Archiving is announced, as in the list. */
const useListActions = (): void => {
  const { client } = useServer()
  const { id, agent } = useSession()
  const canOperate = useCan('operate')
  const row = useLive(({ sessions }) => sessions.find((each) => isSameSession(each, id, agent)))
  const rows = row && canOperate ? [row] : []
  useAction(
    'session.archive',
    applicable('archive', rows).length > 0 ? () => announceAct(client, 'archive', rows) : null,
  )
  const { archived } = useSession().detail
  useAction(
    'session.unarchive',
    archived === true && canOperate ? () => client.unarchive(id, { agent }).catch(showError) : null,
  )
}

const THREAD = { id: null, word: 'Thread', icon: 'message-square' } as const

const useViewActions = (): void => {
  const [query] = useSearchParams()
  const [path, navigate] = useLocation()
  const current = query.get('view')
  useActionList(
    'session.view',
    [THREAD, ...sessionViews]
      .filter((view) => view.id !== current)
      .map(({ id, word, icon }) => ({
        words: `Show ${word}`,
        icon,
        run: () => navigate(hrefOfView(path, query, id)),
      })),
  )
}

/** The server does not know a session of a file. */
const useCopyActions = (isReplay: boolean): void => {
  const { options } = useServer()
  const { id, agent } = useSession()
  const approvals = useHarnessValue((state) => state.approvals)
  const [curls, commands] = useMemo(() => {
    if (isReplay) return [[], []]
    const server = { serverUrl: options.url, hasToken: options.authToken !== undefined, tenantId: options.tenantId }
    const open = approvals ?? []
    return [curlCopies({ id, agent }, open, server), commandCopies({ id, agent }, open, server)]
  }, [options, id, agent, approvals, isReplay])
  useActionList('copy.curl', copyOffers(curls, 'as curl'))
  useActionList('copy.command', copyOffers(commands, 'as bridle command'))
}

const copyOffers = (copies: readonly SessionCopy[], how: string) =>
  copies.map(({ words, detail, text }) => ({
    words: `${words} ${how}`,
    ...(detail !== undefined && { detail: visibleText(detail) }),
    run: () => copyText(text, `${words} is copied ${how}.`),
  }))
