// The server's hint for the state of a session, as a button that does it.

import { adviceText, durationText, recoveryWords } from 'bridle/words'
import { useState } from 'react'
import { Link } from 'wouter'
import { useServer } from '../../server/server-context.tsx'
import { useCan, useOffReason } from '../../server/use-can.ts'
import { inboxPath } from '../../shell/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon-names.ts'
import { visibleText } from '../../ui/plain-text.ts'
import { showError } from '../../ui/toast.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useSession } from '../session-context.tsx'
import { canShowApproval, showApproval } from '../thread/show-approval.ts'
import { useActs } from '../use-acts.ts'
import { useOpenBranch } from '../use-open-branch.ts'
import type { Health } from './budget-values.ts'

type Hint = NonNullable<Health['recovery_hint']>

const icons: { readonly [action in Hint['action']]: IconName } = {
  answer_approval: 'shield-alert',
  resume: 'play',
  pause: 'pause',
  branch: 'git-branch',
  submit: 'send',
  wait: 'hourglass',
  cancel: 'square',
}

export const RecoveryButton = ({ hint }: { readonly hint: Hint }) => {
  const { id, agent } = useSession()
  const canOperate = useCan('operate')
  const offReason = useOffReason()
  const [isBusy, setBusy] = useState(false)
  const recover = useRecovery(hint)
  const label = recoveryWords[hint.action].name
  const more = adviceText(hint.action, hint.label)
  if (hint.action === 'wait') return <Wait until={hint.until} label={label} />
  const approvalId = hint.approval_request_id
  if (hint.action === 'answer_approval' && approvalId !== undefined)
    return (
      <Link
        className="btn recovery"
        href={inboxPath({ id: approvalId, sessionId: id, agent })}
        onClick={(event) => {
          if (!canShowApproval(approvalId)) return
          event.preventDefault()
          showApproval(approvalId)
        }}
      >
        <Icon name="shield-alert" size={14} />
        {label}
      </Link>
    )
  const run = async (): Promise<void> => {
    setBusy(true)
    try {
      await recover()
    } catch (error) {
      showError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button
        icon={icons[hint.action]}
        isBusy={isBusy}
        isDisabled={!canOperate}
        {...(!canOperate && { title: offReason })}
        onClick={() => void run()}
      >
        {label}
      </Button>
      {more !== '' && <p className="small t3">{visibleText(more)}</p>}
    </>
  )
}

const useRecovery = (hint: Hint): (() => Promise<void>) => {
  const { client } = useServer()
  const { id, agent, harness, reload } = useSession()
  const { stop } = useActs()
  const { branch } = useOpenBranch()
  return async () => {
    switch (hint.action) {
      case 'resume':
        await client.resume(id, { agent })
        break
      case 'pause':
        await client.pause(id, { agent })
        break
      case 'cancel':
        await stop()
        break
      case 'submit':
        await harness.reload()
        break
      case 'branch': {
        const cursor = hint.resume_cursor === undefined ? {} : { resume_cursor: hint.resume_cursor }
        await branch(id, { agent, ...cursor })
        return
      }
      case 'answer_approval':
      case 'wait':
        return
    }
    reload()
  }
}

const Wait = ({ until, label }: { readonly until: string | undefined; readonly label: string }) => {
  const now = useNow()
  const left = until === undefined ? 0 : Date.parse(until) - now
  return (
    <p className="small t2 row">
      <Icon name="hourglass" size={14} />
      {label}
      {left > 0 && `, in ${durationText(left)}`}
    </p>
  )
}
