// An event as a marker of a thread. An engine's report of itself says so, and a branch names the checkpoints around it.
import { branchOrigin, eventText } from 'bridle/words'
import { type EventLook, eventLook } from '../../event-look.ts'
import type { Marker } from '../thread-index.ts'

export type MarkerWords = Pick<EventLook, 'icon' | 'title' | 'text'>

export const markerWords = ({ type, payload, timestamp, isHearsay, checkpoints }: Marker): MarkerWords => {
  if (isHearsay) return { icon: 'quote', title: 'Reported by the engine', text: eventText(type, payload) }
  const { icon, title, text } = eventLook(type, payload, Date.parse(timestamp))
  if (type !== 'branched') return { icon, title, text }
  return { icon, title, text: text.replace(branchOrigin(payload), branchOrigin(payload, checkpoints)) }
}
