// The palette and the sheet of shortcuts, which open over any page. Their code loads with the first use.
import { lazy, Suspense, useState } from 'react'
import { useAction } from '../actions/use-action.ts'
import { OpeningDialog } from '../ui/opening-dialog.tsx'

const Palette = lazy(() => import('../actions/palette/palette.tsx'))
const ShortcutsSheet = lazy(() => import('../actions/shortcuts-sheet.tsx'))

export const Overlays = () => {
  const [open, setOpen] = useState<'palette' | 'shortcuts' | null>(null)
  useAction('palette.open', () => setOpen('palette'))
  useAction('shortcuts.open', () => setOpen('shortcuts'))
  const close = (): void => setOpen(null)
  return (
    <Suspense fallback={<OpeningDialog onClose={close} />}>
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'shortcuts' && <ShortcutsSheet onClose={close} />}
    </Suspense>
  )
}
