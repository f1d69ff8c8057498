// An event that a link names and that has no row of its own: what the stream says of it.

import { IconButton } from '../../../ui/button.tsx'
import { secondText } from '../../../ui/clock.ts'
import { JsonCode } from '../../../ui/code.tsx'
import { useSession } from '../../session-context.tsx'
import { useSelection } from '../use-selection.ts'

export const EventBox = ({ seq }: { readonly seq: number }) => {
  const { events } = useSession()
  const { select } = useSelection()
  const entry = [...events.timeline, ...events.diagnostics].find((each) => each.seq === seq)
  return (
    <section className="sec" aria-label={`Event ${seq}`}>
      <h2>
        Event {seq}
        {entry && <code>{entry.type}</code>}
        {entry && <span className="t3 num">{secondText(entry.timestamp)}</span>}
        <span className="right">
          <IconButton name="x" label="Close the event" onClick={() => select({ event: null })} />
        </span>
      </h2>
      {entry ? (
        <JsonCode value={entry.payload} />
      ) : (
        <p className="small t3">The page has only the newest events, and this is none of them.</p>
      )}
    </section>
  )
}
