// The strip says what is going on, what waits for you, what it cost, how healthy it is, how long it takes.
import { statusWords } from 'bridle/words'
import { useCan, useOffReason } from '../server/use-can.ts'
import { Button } from '../ui/button.tsx'
import { useSession } from './session-context.tsx'
import { CostCell, HealthCell, NowCell, TimeCell } from './strip-cells.tsx'
import { useConnection, useHarnessValue } from './thread/thread-context.tsx'
import { useActs } from './use-acts.ts'
import { WaitingCell } from './waiting-cell.tsx'

export const Strip = () => {
  const { detail, past } = useSession()
  const isOpen = useConnection().phase === 'open'
  const canOperate = useCan('operate')
  const offReason = useOffReason()
  const status = useHarnessValue((state) => state.sessionStatus) ?? detail.status
  return (
    <section className="strip" aria-label="At a glance">
      <NowCell detail={detail} status={status} />
      <WaitingCell />
      <CostCell detail={detail} />
      <HealthCell detail={detail} />
      <TimeCell detail={detail} status={status} />
      <div className="acts no-phone">
        {past ? (
          <span className="small t3 nowrap" title={offReason}>
            Read only
          </span>
        ) : !isOpen ? (
          <span className="small t3">frozen</span>
        ) : canOperate ? (
          <Acts status={status} />
        ) : (
          <span className="small t3 nowrap" title={offReason}>
            watch only
          </span>
        )}
      </div>
    </section>
  )
}

/** The composer has the way to stop. */
const Acts = ({ status }: { readonly status: string }) => {
  const { branch, pause, resume } = useActs()
  return (
    <>
      {status === 'paused' ? (
        <Button icon="play" onClick={() => void resume()}>
          Resume
        </Button>
      ) : (
        statusWords(status).isActive && (
          <Button icon="pause" onClick={() => void pause()}>
            Pause
          </Button>
        )
      )}
      <Button
        icon="git-branch"
        onClick={() => void branch()}
        title="A new session that begins where this one stands; this one stays as it is"
      >
        Branch
      </Button>
    </>
  )
}
