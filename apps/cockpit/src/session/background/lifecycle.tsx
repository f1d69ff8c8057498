// A background session: pause, resume and stop, its attempts, its time and its last error.

import { agoText, durationText, statusWords } from 'bridle/words'
import { useState } from 'react'
import { useServer } from '../../server/server-context.tsx'
import { useCan, useOffReason } from '../../server/use-can.ts'
import { Button } from '../../ui/button.tsx'
import { momentText } from '../../ui/clock.ts'
import { visibleText } from '../../ui/plain-text.ts'
import { Status } from '../../ui/status.tsx'
import { showError } from '../../ui/toast.tsx'
import { useNow } from '../../ui/use-now.ts'
import { StopButton } from '../composer/stop-button.tsx'
import { Facts } from '../inspector/facts.tsx'
import { useSession } from '../session-context.tsx'

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
  const offReason = useOffReason()
  const { id, agent, detail, reload } = useSession()
  const off = canOperate ? {} : { isDisabled: true, title: offReason }
  const [act, setAct] = useState<'pause' | 'resume' | null>(null)
  const run = async (name: 'pause' | 'resume'): Promise<void> => {
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
  if (statusWords(detail.status).isEnded) return null
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
      <StopButton isOff={!canOperate} {...(!canOperate && { offWhy: offReason })} onStopped={reload} />
    </div>
  )
}
