// The dialog over any page: a branch can begin in a list, in a thread, and on the page of branches.
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { OpeningDialog } from '../ui/opening-dialog.tsx'
import { openConfirmation, subscribeConfirmation } from './confirmation.ts'

const ConfirmationDialog = lazy(() => import('./confirmation-dialog.tsx'))

export const ConfirmationHost = () => {
  const open = useSyncExternalStore(subscribeConfirmation, openConfirmation)
  if (!open) return null
  const close = (): void => open.settle(null)
  return (
    <Suspense fallback={<OpeningDialog onClose={close} />}>
      <ConfirmationDialog detail={open.detail} onSettle={open.settle} />
    </Suspense>
  )
}
