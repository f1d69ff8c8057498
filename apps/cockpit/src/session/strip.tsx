import { Status } from '../ui/status.tsx'
import { useSession } from './session-context.tsx'

/** The ten seconds of an operator: what is going on, what waits, what it cost, how healthy it is, how long it takes. */
export const Strip = () => {
  const { detail } = useSession()
  return (
    <section className="strip" aria-label="Summary">
      <div className="cell now">
        <Status status={detail.status} />
      </div>
    </section>
  )
}
