import type { ReactNode } from 'react'
import type { TurnMarkers } from '../thread-index.ts'
import { Markers } from './marker-row.tsx'

interface AnchoredProps {
  readonly markers: TurnMarkers
  readonly anchor: string
  readonly children: ReactNode
}

/** A part of an answer with the markers that stand before and behind it. */
export const Anchored = ({ markers, anchor, children }: AnchoredProps) => (
  <>
    <Markers markers={markers.before.get(anchor)} />
    {children}
    <Markers markers={markers.after.get(anchor)} />
  </>
)
