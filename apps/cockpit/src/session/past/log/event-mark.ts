// The events of a log that somebody looks for on its scrubber.
import type { IconName } from '../../../ui/icon-names.ts'

export type MarkKind = 'error' | 'approval' | 'timeout' | 'compaction' | 'checkpoint'

export interface EventMark {
  readonly seq: number
  readonly kind: MarkKind
}

interface MarkLook {
  readonly icon: IconName
  readonly tone: '' | 'warn' | 'danger'
  readonly word: string
}

/** The order is that of importance: where marks would cover each other, the first of these is shown. */
export const markLooks: { readonly [kind in MarkKind]: MarkLook } = {
  error: { icon: 'circle-x', tone: 'danger', word: 'Error' },
  approval: { icon: 'shield-alert', tone: 'warn', word: 'Approval asked for' },
  timeout: { icon: 'timer-off', tone: 'warn', word: 'Timeout' },
  compaction: { icon: 'fold-vertical', tone: '', word: 'Context compacted' },
  checkpoint: { icon: 'flag', tone: '', word: 'Checkpoint' },
}

const importance = Object.keys(markLooks) as MarkKind[]

export const isMoreImportant = (one: MarkKind, other: MarkKind): boolean =>
  importance.indexOf(one) < importance.indexOf(other)

interface MarkedEvent {
  readonly type: string
  readonly payload: unknown
  readonly hearsay?: unknown
}

/** Null for an event without a mark. */
export const markKindOf = ({ type, payload, hearsay }: MarkedEvent): MarkKind | null => {
  if (hearsay === true) return null
  const { status, reason, checkpoint_type: checkpoint } = (payload ?? {}) as { readonly [name: string]: unknown }
  switch (type) {
    case 'error':
      return 'error'
    case 'approval_required':
      return 'approval'
    case 'context_compacted':
      return 'compaction'
    case 'tool_outcome':
      if (LEFT_BEHIND.has(reason)) return null
      return status === 'error' ? 'error' : status === 'timeout' ? 'timeout' : null
    case 'session_checkpoint':
      // Every turn ends with a checkpoint of its own, which says no more than the turn.
      return checkpoint === 'turn' || checkpoint === 'resume_seed' ? null : 'checkpoint'
    default:
      return null
  }
}

/** The call stayed with the session that was branched or exported: it did not fail. */
const LEFT_BEHIND: ReadonlySet<unknown> = new Set(['branched', 'imported'])

const TEXT_PIECES: ReadonlySet<string> = new Set(['token', 'thinking'])

/** A piece of streamed text: a log has thousands of them, and each changes a word. */
export const isTextPiece = (type: string): boolean => TEXT_PIECES.has(type)
