// Stands in for a dialog whose code is still loading: without it, what somebody types for the dialog would be keys of the page behind it.
import { useModal } from './use-modal.ts'

export const OpeningDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { dialog, onDialogClose } = useModal(onClose)
  return <dialog ref={dialog} className="opening" aria-label="Opening" onClose={onDialogClose} />
}
