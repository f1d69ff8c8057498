// The functions `start` of middleware. Their notes, events and the fact that they were called are one write, so they run once per turn.
import type { ReportItem } from '@bridle/kernel/commands'
import { truncate } from '@bridle/kernel/text/truncate'
import type { Middleware, Note } from '../../middleware/middleware.ts'
import { hookEventItem, runHook } from '../../middleware/running.ts'
import { eventItem } from '../calls/call-items.ts'
import type { LoopRun } from '../loop-run.ts'
import { beginningOf } from '../transcript/excerpt.ts'
import { NOTE_SOURCE } from '../transcript/turn-record.ts'

/** Characters of the notes of one middleware at the start of a turn: some 12,000 tokens, a tenth of what usual models read. */
export const NOTES_CHARS_MAX = 50_000
/** Notes of one middleware at the start of a turn: each is a message of the conversation. */
const NOTES_MAX = 20

/** All are called at the same time: none sees the notes of another. The notes stand in the order of the middleware. */
export const startTurn = async (run: LoopRun): Promise<readonly ReportItem[]> => {
  const items = await Promise.all(run.definition.use.map((middleware) => startWith(run, middleware)))
  return items.flat()
}

/** The turn goes on without a middleware that fails: its `hook_event` is among the items. */
const startWith = async (run: LoopRun, middleware: Middleware): Promise<readonly ReportItem[]> => {
  const { name } = middleware
  if (!middleware.start) return []
  const result = await runHook(run, middleware, 'start', async (turn) => notesOf(await middleware.start?.(turn)))
  if ('problem' in result) return result.items
  const { texts, leftOut } = bounded(result.value)
  return [
    ...result.items,
    hookEventItem(name, 'start', texts.length > 0 ? 'added' : 'passed', {
      notes: texts.length,
      ...(leftOut > 0 && { reason: `${leftOut} characters of the notes are left out.` }),
    }),
    ...texts.map((text) => eventItem('context_added', { text, source: `${NOTE_SOURCE}${name}` })),
  ]
}

/** Throws where the middleware returns something else than notes. */
const notesOf = (returned: unknown): readonly string[] => {
  if (returned === undefined || returned === null) return []
  const texts = Array.isArray(returned) ? returned.map((note: Partial<Note> | null) => note?.text) : [undefined]
  if (!texts.every((text) => typeof text === 'string'))
    throw new TypeError('start returns a list of { text }, or nothing.')
  if (texts.length > NOTES_MAX) throw new RangeError(`start returns at most ${NOTES_MAX} notes.`)
  return texts.filter((text) => text !== '')
}

/** The model learns that it does not see everything. */
const bounded = (notes: readonly string[]): { readonly texts: readonly string[]; readonly leftOut: number } => {
  const texts: string[] = []
  let charsLeft = NOTES_CHARS_MAX
  let leftOut = 0
  for (const note of notes) {
    texts.push(beginningOf(note, charsLeft))
    const { length } = truncate(note, charsLeft)
    charsLeft -= length
    leftOut += note.length - length
  }
  return { texts, leftOut }
}
