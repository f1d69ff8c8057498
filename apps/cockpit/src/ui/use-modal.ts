// A dialog of the platform: it holds the focus, closes with Escape and gives the focus back.
import { type RefObject, useLayoutEffect, useRef } from 'react'

interface Modal {
  readonly dialog: RefObject<HTMLDialogElement | null>
  /** Closes it now: the focus is back when this returns. */
  readonly close: () => void
  readonly onDialogClose: () => void
}

export const useModal = (onClose: () => void): Modal => {
  const dialog = useRef<HTMLDialogElement>(null)
  // Open in the same moment in which it is there: a key in between would be one of the page.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return {
    dialog,
    close: () => {
      dialog.current?.close()
      onClose()
    },
    // The event comes later than the close. By then the dialog can be gone, closed by the page itself, or open again: React's strict mode
    // closes and opens it once more.
    onDialogClose: () => {
      if (dialog.current?.open === false) onClose()
    },
  }
}
