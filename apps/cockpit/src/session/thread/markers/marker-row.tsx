// An event across the thread. Its payload is one click away, and some can be branched from.
import { memo, useState } from 'react'
import { useCan } from '../../../server/use-can.ts'
import { Button } from '../../../ui/button.tsx'
import { JsonCode } from '../../../ui/code.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { visibleText } from '../../../ui/plain-text.ts'
import { useActs } from '../../use-acts.ts'
import type { Marker } from '../thread-index.ts'
import { markerWords } from './marker-words.ts'
import { RetrievalRow } from './retrieval-row.tsx'

export const Markers = ({ markers }: { readonly markers: readonly Marker[] | undefined }) =>
  markers?.map((marker) =>
    marker.type === 'retrieval' && !marker.isHearsay ? (
      <RetrievalRow key={marker.seq} marker={marker} />
    ) : (
      <MarkerRow key={marker.seq} marker={marker} />
    ),
  )

export const MarkerRow = memo(({ marker }: { readonly marker: Marker }) => {
  const [isOpen, setOpen] = useState(false)
  const { icon, title, text } = markerWords(marker)
  return (
    <div className="mark-box" data-event={marker.seq}>
      <div className="mark">
        <Icon name={icon} size={14} />
        <button
          type="button"
          className="mark-b trunc"
          aria-expanded={isOpen}
          title={visibleText(text)}
          onClick={() => setOpen(!isOpen)}
        >
          <b>{visibleText(title)}</b>
          {text !== '' && ` · ${visibleText(text)}`}
        </button>
        {marker.type === 'session_checkpoint' && !marker.isHearsay && <BranchHere seq={marker.seq} />}
        <span className="evno">{marker.seq}</span>
      </div>
      {isOpen && <JsonCode value={marker.payload} label={`Event ${marker.seq}, ${visibleText(marker.type)}`} />}
    </div>
  )
})

const BranchHere = ({ seq }: { readonly seq: number }) => {
  const { branch } = useActs()
  if (!useCan('operate')) return null
  return (
    <Button look="ghost" icon="git-branch" onClick={() => void branch({ seq })}>
      Branch
    </Button>
  )
}
