import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { useModal } from './use-modal.ts'

interface DialogProps {
  readonly title: string
  /** A remark beside the title. */
  readonly note?: string
  readonly onClose: () => void
  /** A sheet comes from the lower edge and has the width of the window, a low one no more height than it needs; a wide box has room for columns. */
  readonly look?: 'box' | 'wide' | 'sheet' | 'low-sheet'
  readonly children: ReactNode
}

const classes = { box: 'dialog', wide: 'dialog wide-box', sheet: 'sheet', 'low-sheet': 'sheet low' }

export const Dialog = ({ title, note, onClose, look = 'box', children }: DialogProps) => {
  const { dialog, onDialogClose } = useModal(onClose)
  return (
    <dialog ref={dialog} className={classes[look]} aria-label={title} onClose={onDialogClose}>
      <header className={look.endsWith('sheet') ? 'row' : 'dialog-h row'}>
        <h2 className={note === undefined ? 'grow' : undefined}>{title}</h2>
        {note !== undefined && <span className="small t3 grow">{note}</span>}
        <IconButton name="x" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  )
}
