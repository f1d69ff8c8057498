// The dialog of a replay over every page of a session: `?replay` opens it.
import { lazy, Suspense } from 'react'
import { useAction } from '../../../actions/use-action.ts'
import { useCanBranch } from '../../../server/use-can.ts'
import { OpeningDialog } from '../../../ui/opening-dialog.tsx'
import { useReplayDialog } from './replay-button.tsx'

const ReplayDialog = lazy(() => import('./replay-dialog.tsx'))

export const ReplayHost = () => {
  const { isOpen, show } = useReplayDialog()
  const canBranch = useCanBranch()
  useAction('session.replay', canBranch ? () => show(true) : null)
  if (!isOpen) return null
  return (
    <Suspense fallback={<OpeningDialog onClose={() => show(false)} />}>
      <ReplayDialog onClose={() => show(false)} />
    </Suspense>
  )
}
