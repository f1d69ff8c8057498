// A dialog of the platform: it holds the focus, closes with Escape and gives the focus back.
import { type ReactNode, useEffect, useRef } from 'react'
import { IconButton } from './button.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** A sheet comes from the lower edge and has the width of the window. */
  readonly look?: 'box' | 'sheet'
  readonly children: ReactNode
}

export const Dialog = ({ title, onClose, look = 'box', children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  // React's strict mode closes and opens it once more: the event of that close comes when it is open again.
  const close = (): void => {
    if (!dialog.current?.open) onClose()
  }
  return (
    <dialog ref={dialog} className={look === 'sheet' ? 'sheet' : 'dialog'} aria-label={title} onClose={close}>
      <header className={look === 'sheet' ? 'row' : 'dialog-h row'}>
        <h2 className="grow">{title}</h2>
        <IconButton name="x" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  )
}
