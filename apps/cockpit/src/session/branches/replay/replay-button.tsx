// The way to the dialog of a replay. It stands in the address, so that every page of the session can open it.
import { useSearchParams } from 'wouter'
import { useCanBranch, useOffReason } from '../../../server/use-can.ts'
import { Button } from '../../../ui/button.tsx'

export const useReplayDialog = (): { readonly isOpen: boolean; readonly show: (isOpen: boolean) => void } => {
  const [query, setQuery] = useSearchParams()
  return {
    isOpen: query.has('replay'),
    show: (isOpen) =>
      setQuery(
        (before) => {
          const next = new URLSearchParams(before)
          if (isOpen) next.set('replay', '1')
          else next.delete('replay')
          return next
        },
        { replace: true },
      ),
  }
}

export const ReplayButton = () => {
  const { show } = useReplayDialog()
  const canOperate = useCanBranch()
  const offReason = useOffReason()
  return (
    <Button
      icon="rotate-cw"
      isDisabled={!canOperate}
      {...(!canOperate && { title: offReason })}
      onClick={() => show(true)}
    >
      Run again with a change
    </Button>
  )
}
