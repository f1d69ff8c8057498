import type { SessionStatus } from '@bridle/events/schemas'
import { capitalized, nameText } from './fields.ts'

interface StatusWords {
  readonly word: string
  /** A run is queued or in progress, so the session can be paused or cancelled. */
  readonly isActive: boolean
  /** The agent may write at any moment. It is not waiting for a person. */
  readonly isWorking: boolean
  /** The run clock is ticking. */
  readonly isTimed: boolean
  readonly isEnded: boolean
}

const still = { isActive: false, isWorking: false, isTimed: false, isEnded: false }
const active = { isActive: true, isWorking: true, isTimed: true, isEnded: false }
const ended = { ...still, isEnded: true }

const statuses: { readonly [status in SessionStatus]: StatusWords } = {
  awaiting_approval: { word: 'Needs approval', ...active, isWorking: false },
  running: { word: 'Running', ...active },
  recovering: { word: 'Retrying', ...active },
  queued: { word: 'Queued', ...active, isTimed: false },
  paused: { word: 'Paused', ...still },
  idle: { word: 'Idle', ...still },
  completed: { word: 'Completed', ...ended },
  failed: { word: 'Failed', ...ended },
  cancelled: { word: 'Cancelled', ...ended },
}

/** In list order: sessions that need a person come first. */
export const STATUS_NAMES = Object.keys(statuses) as readonly SessionStatus[]

/** An unknown status of a newer server keeps its name and belongs to no set. */
export const statusWords = (status: string): StatusWords =>
  Object.hasOwn(statuses, status)
    ? statuses[status as SessionStatus]
    : { word: capitalized(nameText(status)), ...still }

/** The status in lower case, for sentences and lists: `needs approval`. */
export const statusText = (status: string): string => statusWords(status).word.toLowerCase()
