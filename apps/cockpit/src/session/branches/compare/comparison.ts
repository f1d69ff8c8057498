// Two sessions side by side: the rows that say the same, the first that does not, and what each did from there on.
import type { LogEntry } from 'bridle/client'
import { type LogRow, logRows } from './log-rows.ts'
import { type Approvals, approvalsOf, type Sums, sumsOf, type Turn, turnsOf } from './session-sums.ts'

/** Rows that both sessions have, above the line where they part. */
const SHARED_ROWS = 2

export interface ComparedSide {
  /** The last rows that both sessions have. */
  readonly shared: readonly LogRow[]
  /** The rows from the first difference on. */
  readonly own: readonly LogRow[]
  readonly sums: Sums
  readonly approvals: Approvals
  readonly turns: readonly Turn[]
}

export interface Comparison {
  readonly a: ComparedSide
  readonly b: ComparedSide
  /** The last event of A that says the same in B. */
  readonly partsAfter: number
  /** How B goes on where it differs; null = it does not. */
  readonly difference: string | null
}

/** The entries may begin before `since`, the last event that both logs have: rows from there are shown as shared. */
export const compareLogs = (a: readonly LogEntry[], b: readonly LogEntry[], since: number): Comparison => {
  const [rowsA, rowsB] = [logRows(a), logRows(b)]
  const [laterA, laterB] = [rowsA, rowsB].map((rows) => rows.filter(({ seq }) => seq > since)) as [LogRow[], LogRow[]]
  let same = 0
  while (same < laterA.length && laterA[same]?.content === laterB[same]?.content) same += 1
  const side = (entries: readonly LogEntry[], rows: readonly LogRow[], later: readonly LogRow[]): ComparedSide => {
    const own = entries.filter(({ seq }) => seq > since)
    return {
      shared: [...rows.filter(({ seq }) => seq <= since), ...later.slice(0, same)].slice(-SHARED_ROWS),
      own: later.slice(same),
      sums: sumsOf(own),
      approvals: approvalsOf(own),
      turns: turnsOf(entries, since),
    }
  }
  const [first, second] = [laterA[same], laterB[same]]
  return {
    a: side(a, rowsA, laterA),
    b: side(b, rowsB, laterB),
    partsAfter: same > 0 ? (laterA[same - 1]?.seq ?? since) : since,
    difference: differenceText(first, second),
  }
}

const NOUNS: { readonly [kind in LogRow['kind']]: string } = {
  prompt: 'another prompt',
  call: 'another call',
  answer: 'another answer',
  approval: 'another question',
  marker: 'another event',
}

const differenceText = (a: LogRow | undefined, b: LogRow | undefined): string | null => {
  if (!a && !b) return null
  if (!b) return 'Has nothing more'
  if (!a) return 'Goes on alone'
  if (a.kind === 'call' && b.kind === 'call' && a.tool === b.tool && a.text === b.text)
    return 'Goes on with another result'
  return `Goes on with ${NOUNS[b.kind]}`
}

/** A prompt of A and the one of B that stands in the same place; null = that session has no more. */
export interface PromptPair {
  readonly a: Turn | null
  readonly b: Turn | null
  readonly isSamePrompt: boolean
  readonly isSameAnswer: boolean
}

export const promptPairs = ({ a, b }: Comparison): readonly PromptPair[] =>
  Array.from({ length: Math.max(a.turns.length, b.turns.length) }, (_, index) => {
    const [one = null, other = null] = [a.turns[index], b.turns[index]]
    return {
      ...{ a: one, b: other },
      isSamePrompt: one !== null && one.prompt === other?.prompt,
      isSameAnswer: one !== null && one.status === other?.status && one.answer.trim() === other?.answer.trim(),
    }
  })
