// A note of the browser for each new approval, where somebody asked for it and looks at another window.

import type { PendingApproval } from 'bridle/client'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { approvalKey } from '../approval/card-approval.ts'
import { askedText, askedTitle } from '../approval/question/question-words.ts'
import { useLive } from '../server/server-context.tsx'
import { inboxPath } from '../shell/paths.ts'
import { exactText } from '../ui/exact-text.ts'
import { titleText } from '../ui/script-text.ts'

const KEY = 'bridle.notify'
/** Characters of a question in a note, which has two lines. */
const TITLE_CHARS = 120
const listeners = new Set<() => void>()

/** False where the browser has no notes, as in a page without HTTPS that is not local. */
export const canNotify = (): boolean => 'Notification' in window

export const isNotifying = (): boolean =>
  canNotify() && Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on'

/** Asks for the permission, which a browser grants only after a click. Returns whether notes will come. */
export const setNotifying = async (isOn: boolean): Promise<boolean> => {
  if (isOn && canNotify()) await Notification.requestPermission()
  localStorage.setItem(KEY, isOn ? 'on' : 'off')
  for (const listener of listeners) listener()
  return isNotifying()
}

export const useIsNotifying = (): boolean =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, isNotifying)

export const useNotifications = (): void => {
  const approvals = useLive((state) => state.approvals)
  const isLoaded = useLive((state) => state.isLoaded)
  const [, navigate] = useLocation()
  const seen = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    if (!isLoaded) return
    const keys = approvals.map(({ id, sessionId, agent }) => approvalKey({ id: sessionId, agent }, id))
    const before = seen.current
    seen.current = new Set(keys)
    // Approvals that waited when the page was opened are on the page.
    if (before === null || !isNotifying() || document.hasFocus()) return
    for (const [index, approval] of approvals.entries()) {
      const key = keys[index] ?? ''
      if (before.has(key)) continue
      const note = new Notification(noteTitle(approval), {
        body: exactText(titleText({ title: approval.title, id: approval.sessionId })),
        tag: key,
      })
      note.onclick = () => {
        window.focus()
        navigate(inboxPath(approval))
        note.close()
      }
    }
  }, [approvals, isLoaded, navigate])
}

const noteTitle = (approval: PendingApproval): string =>
  approval.kind === 'question'
    ? `${askedTitle(approval)}: ${exactText(askedText(approval).slice(0, TITLE_CHARS))}`
    : `Approval needed: ${exactText(approval.toolName)}`
