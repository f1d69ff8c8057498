// A link to the event that shows something: the timeline opens at it.
import { Link } from 'wouter'
import { useSelection } from './use-selection.ts'

/** `ev-12` and `ev-12~3` name event 12. */
export const eventNumber = (eventId: string): string => eventId.replace(/^ev-/, '').replace(/~.*$/, '')

export const EventLink = ({ id }: { readonly id: string }) => {
  const { hrefOf } = useSelection()
  const event = eventNumber(id)
  return (
    <Link className="evno" href={hrefOf({ tab: 'timeline', event, call: null })} aria-label={`Event ${event}`}>
      {event}
    </Link>
  )
}
