// The acts upon several sessions at once, and to which of them each applies.

import type { SessionRow } from 'bridle/client'
import { statusText, statusWords } from 'bridle/words'

export type SessionAct = 'pause' | 'resume' | 'cancel' | 'archive' | 'unarchive'

export interface ActWords {
  readonly verb: string
  /** Shown while the act may still be undone: "Pausing 3 sessions". */
  readonly announced: string
  /** The word in the row meanwhile. */
  readonly pending: string
}

export const actWords: { readonly [act in SessionAct]: ActWords } = {
  pause: { verb: 'Pause', announced: 'Pausing', pending: 'pausing' },
  resume: { verb: 'Resume', announced: 'Resuming', pending: 'resuming' },
  cancel: { verb: 'Stop', announced: 'Stopping', pending: 'stopping' },
  archive: { verb: 'Archive', announced: 'Archiving', pending: 'archiving' },
  unarchive: { verb: 'Unarchive', announced: 'Unarchiving', pending: 'unarchiving' },
}

const rules: { readonly [act in SessionAct]: (row: SessionRow) => boolean } = {
  pause: ({ status }) => statusWords(status).isActive,
  resume: ({ status }) => status === 'paused',
  cancel: ({ status }) => statusWords(status).isActive || status === 'paused',
  archive: ({ archived }) => archived !== true,
  unarchive: ({ archived }) => archived === true,
}

export const applicable = (act: SessionAct, rows: readonly SessionRow[]): readonly SessionRow[] =>
  rows.filter(rules[act])

/** `2 paused, 1 cancelled`: the statuses of the selection, most frequent first. */
export const statusCounts = (rows: readonly { readonly status: string }[]): string => {
  const counts = new Map<string, number>()
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([status, count]) => `${count} ${statusText(status)}`)
    .join(', ')
}
