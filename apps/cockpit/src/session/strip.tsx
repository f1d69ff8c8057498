// The strip says what is going on, what waits for you, what it cost, how healthy it is, how long it takes.
import { Button } from '../ui/button.tsx'
import { useSession } from './session-context.tsx'
import { CostCell, HealthCell, NowCell, TimeCell } from './strip-cells.tsx'
import { useConnection, useHarnessValue } from './thread/thread-context.tsx'
import { useActs } from './use-acts.ts'
import { WaitingCell } from './waiting-cell.tsx'

export const Strip = () => {
  const { detail } = useSession()
  const isOpen = useConnection().phase === 'open'
  const status = useHarnessValue((state) => state.sessionStatus) ?? detail.status
  return (
    <section className="strip" aria-label="At a glance">
      <NowCell detail={detail} status={status} />
      <WaitingCell />
      <CostCell detail={detail} />
      <HealthCell detail={detail} />
      <TimeCell detail={detail} status={status} />
      <div className="acts no-phone">
        {isOpen ? <Acts status={status} /> : <span className="small t3">frozen</span>}
      </div>
    </section>
  )
}

const RUNNING = new Set(['queued', 'running', 'awaiting_approval', 'recovering'])

export const Acts = ({ status }: { readonly status: string }) => {
  const { branch, pause, resume, stop } = useActs()
  return (
    <>
      {status === 'paused' ? (
        <Button icon="play" onClick={() => void resume()}>
          Resume
        </Button>
      ) : (
        RUNNING.has(status) && (
          <>
            <Button icon="pause" onClick={() => void pause()}>
              Pause
            </Button>
            <Button icon="ban" onClick={() => void stop()}>
              Cancel
            </Button>
          </>
        )
      )}
      <Button icon="git-branch" onClick={() => void branch()} title="A new session from here; this one continues">
        Branch
      </Button>
    </>
  )
}
