// On a phone the question that waits stays in reach, also where its card is out of sight.
import { Button } from '../ui/button.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { showApproval } from './thread/show-approval.ts'
import { useHarnessValue } from './thread/thread-context.tsx'

export const ApprovalDock = () => {
  const first = useHarnessValue((state) => state.approvals?.[0])
  if (!first) return null
  return (
    <div className="dock only-phone">
      <span className="grow trunc">
        Allow <code>{visibleText(first.toolName)}</code>?
      </span>
      <Button look="primary" onClick={() => showApproval(first.id)}>
        Review
      </Button>
    </div>
  )
}
