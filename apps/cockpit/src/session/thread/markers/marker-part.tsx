import { nameText } from 'bridle/words'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import type { Marker } from '../thread-index.ts'
import { MarkerRow } from './marker-row.tsx'

interface MarkerPartProps {
  readonly kind: string
  readonly text: string
  /** The event that made the part, where it is still on the page: it has the numbers. */
  readonly event: Marker | undefined
}

/** A marker of the message itself: the context was compacted here. */
export const MarkerPart = ({ kind, text, event }: MarkerPartProps) =>
  event ? (
    <MarkerRow marker={event} />
  ) : (
    <div className="mark">
      <Icon name="fold-vertical" size={14} />
      <span className="trunc">
        <b>{kind === 'context_compacted' ? 'Context compacted' : visibleText(nameText(kind))}</b>
        {text !== '' && ` · ${visibleText(text)}`}
      </span>
    </div>
  )
