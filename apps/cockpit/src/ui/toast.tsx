// Short notes about what was done, some with a way back. Anybody may show one; the shell has the place for them.
import { useSyncExternalStore } from 'react'
import { Button, IconButton } from './button.tsx'
import { visibleText } from './plain-text.ts'

/** Time that a note stays: long enough to read a sentence and to reach its button. What it announced happens then. */
const TOAST_MS = 5_000

export interface Toast {
  readonly text: string
  readonly tone?: 'plain' | 'bad'
  readonly action?: { readonly label: string; readonly run: () => void }
  /** Called when the note goes away by itself: what it announced happens now. */
  readonly onEnd?: () => void
}

interface ShownToast extends Toast {
  readonly id: number
}

let shown: readonly ShownToast[] = []
let lastId = 0
const listeners = new Set<() => void>()

const set = (next: readonly ShownToast[]): void => {
  shown = next
  for (const listener of listeners) listener()
}

/** Shows the note; returns a function that removes it. */
export const showToast = (toast: Toast): (() => void) => {
  lastId += 1
  const id = lastId
  const remove = (): void => set(shown.filter((each) => each.id !== id))
  const timer = setTimeout(() => {
    remove()
    toast.onEnd?.()
  }, TOAST_MS)
  set([...shown, { ...toast, id }])
  return () => {
    clearTimeout(timer)
    remove()
  }
}

/** Shows why a request failed. */
export const showError = (error: unknown): void => {
  showToast({ text: error instanceof Error ? error.message : String(error), tone: 'bad' })
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const Toasts = () => {
  const toasts = useSyncExternalStore(subscribe, () => shown)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, tone, action }) => (
        <div key={id} className={`toast${tone === 'bad' ? ' bad' : ''}`}>
          <span>{visibleText(text)}</span>
          {action && (
            <Button
              look="ghost"
              onClick={() => {
                action.run()
                set(shown.filter((each) => each.id !== id))
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton name="x" label="Dismiss" onClick={() => set(shown.filter((each) => each.id !== id))} />
        </div>
      ))}
    </div>
  )
}
