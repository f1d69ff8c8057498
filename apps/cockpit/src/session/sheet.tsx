// On a phone the inspector is a sheet behind a handle.
import { useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
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
      {isOpen && (
        <Dialog title="Inspector" look="sheet" onClose={() => setOpen(false)}>
          <div className="insp">
            <InspectorBody />
          </div>
        </Dialog>
      )}
    </>
  )
}
