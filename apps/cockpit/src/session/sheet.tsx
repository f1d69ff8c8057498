// On a phone the inspector is a sheet behind a handle.
import { useEffect, useRef, useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { InspectorBody } from './inspector/inspector.tsx'
import { useSession } from './session-context.tsx'

export const SheetHandle = () => {
  const [isOpen, setOpen] = useState(false)
  const { events } = useSession()
  return (
    <>
      <button type="button" className="handle only-phone" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="chevron-up" size={14} />
        <span className="medium">Timeline, health, context</span>
        {events.seq > 0 && <span className="right num">event {events.seq}</span>}
      </button>
      {isOpen && <Sheet onClose={() => setOpen(false)} />}
    </>
  )
}

const Sheet = ({ onClose }: { readonly onClose: () => void }) => {
  const sheet = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = sheet.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog ref={sheet} className="sheet" aria-label="Inspector" onClose={onClose} onCancel={onClose}>
      <header className="row">
        <b className="grow">Inspector</b>
        <IconButton name="x" label="Close" onClick={onClose} />
      </header>
      <div className="insp">
        <InspectorBody />
      </div>
    </dialog>
  )
}
