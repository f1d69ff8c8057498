// A background session: pause, resume and cancel, its attempts, its time and its last error.

import { useState } from 'react'
import { useServer } from '../../server/server-context.tsx'
import { CANNOT_OPERATE, useCan } from '../../server/use-can.ts'
import { Button } from '../../ui/button.tsx'
import { momentText } from '../../ui/clock.ts'
import { agoText, durationText } from '../../ui/numbers.ts'
import { visibleText } from '../../ui/plain-text.ts'
import { Status } from '../../ui/status.tsx'
import { showError } from '../../ui/toast.tsx'
import { useNow } from '../../ui/use-now.ts'
import { Facts } from '../inspector/facts.tsx'
import { useSession } from '../session-context.tsx'

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

export const Lifecycle = () => {
  const { detail } = useSession()
  const now = useNow()
  const { retry_at: retryAt, expires_at: expiresAt, last_heartbeat_at: heartbeatAt } = detail
  return (
    <section className="sec" aria-label="Background session">
      <h2>
        Background session
        <span className="right">
          <Status status={detail.status} />
        </span>
      </h2>
      <Acts />
      <Facts
        facts={[
          ['Attempt', `${detail.attempt_count} of ${detail.max_retries + 1}`],
          [
            'Next try',
            retryAt === null
              ? null
              : Date.parse(retryAt) > now
                ? `in ${durationText(Date.parse(retryAt) - now)}`
                : 'now',
          ],
          ['Began', agoText(now - Date.parse(detail.createdAt))],
          ['Sign of life', heartbeatAt === null ? null : agoText(now - Date.parse(heartbeatAt))],
          ['Ended', detail.ended_at === null ? null : agoText(now - Date.parse(detail.ended_at))],
          ['Expires', expiresAt === null ? 'never' : momentText(expiresAt)],
          ['Queued', detail.queued === 0 ? null : String(detail.queued)],
        ]}
      />
      {detail.last_error !== null && <p className="danger small">{visibleText(detail.last_error)}</p>}
    </section>
  )
}

const Acts = () => {
  const { client } = useServer()
  const canOperate = useCan('operate')
  const { id, agent, detail, reload } = useSession()
  const off = canOperate ? {} : { isDisabled: true, title: CANNOT_OPERATE }
  const [act, setAct] = useState<'pause' | 'resume' | 'cancel' | null>(null)
  const run = async (name: 'pause' | 'resume' | 'cancel'): Promise<void> => {
    setAct(name)
    try {
      await client[name](id, { agent })
      reload()
    } catch (error) {
      showError(error)
    } finally {
      setAct(null)
    }
  }
  if (ENDED.has(detail.status)) return null
  return (
    <div className="row acts-row">
      {detail.status === 'paused' ? (
        <Button {...off} icon="play" isBusy={act === 'resume'} onClick={() => void run('resume')}>
          Resume
        </Button>
      ) : (
        <Button {...off} icon="pause" isBusy={act === 'pause'} onClick={() => void run('pause')}>
          Pause
        </Button>
      )}
      <Button {...off} look="no" icon="square" isBusy={act === 'cancel'} onClick={() => void run('cancel')}>
        Cancel
      </Button>
    </div>
  )
}
