// Exports are read in pages, with backpressure from the reader, so a long log is never fully in memory.

import { READ_PAGE } from '@bridle/events/limits'
import { ExportWriter } from '@bridle/history/export/export-file'
import { entryOf } from '@bridle/history/scrubbed-entry'
import { type AnyEvent, IMPORTED } from '@bridle/kernel/event'
import type { Session } from '@bridle/kernel/session/session'
import type { ExportPart, ExportPorts } from './export-plan.ts'

/** A few pages of a log, and little memory per reader. */
const EXPORT_BLOCK_CHARS = 64 * 1024

export async function* exportLines(ports: ExportPorts, parts: readonly ExportPart[]): AsyncGenerator<string> {
  const writer = new ExportWriter()
  yield writer.header()
  for (const part of parts) {
    const session = await ports.host.find(part.source)
    // Throw: without its last line the file is refused, so half an export never passes as a whole one.
    if (!session) throw new Error(`The session "${part.source.id}" was removed while it was exported.`)
    const { last, isPartial } = part.upTo ? { last: part.upTo, isPartial: true } : await endOf(session, part.neededSeq)
    const { partial: _partial, ...own } = part.session
    yield writer.session({ ...own, ...(isPartial && { partial: true }) })
    for (let seen = part.session.parent?.seq ?? 0; seen < last; ) {
      const events = await session.readWithContent(seen, Math.min(READ_PAGE, last - seen))
      for (const event of events)
        if (event.seq <= last) yield writer.entry(entryOf(withParent(event, part.session.parent)))
      seen = events.at(-1)?.seq ?? last
    }
  }
  yield writer.end()
}

/** Omits the events that this server appended on import, so that exporting an untouched import reproduces the file. */
const endOf = async (session: Session, neededSeq: number): Promise<{ last: number; isPartial: boolean }> => {
  const { head, lifecycle } = session.state
  const { importedSeq } = lifecycle
  const whole = { last: head, isPartial: false }
  if (importedSeq === null || neededSeq >= importedSeq) return whole
  let isPartial = false
  for (let seen = importedSeq - 1; seen < head; ) {
    const events = await session.read(seen, READ_PAGE)
    for (const event of events) {
      if (event.seq === importedSeq) isPartial = event.type === 'session_imported' && event.payload.partial === true
      else if (!isEnding(event)) return whole
    }
    seen = events.at(-1)?.seq ?? head
  }
  return { last: importedSeq - 1, isPartial }
}

/** The parent may have been renamed in the file. */
const withParent = (event: AnyEvent, parent: ExportPart['session']['parent']): AnyEvent =>
  parent && event.type === 'branched' && !event.hearsay && event.payload.parent.id !== parent.id
    ? { ...event, payload: { ...event.payload, parent } }
    : event

const isEnding = (event: AnyEvent): boolean => {
  if (event.type === 'tool_outcome' || event.type === 'approval_applied') return event.payload.reason === IMPORTED
  if (event.type === 'turn_end') return event.payload.stop_reason === IMPORTED
  return event.type === 'health_changed' || event.type === 'session_state'
}

export const exportResponse = (lines: AsyncGenerator<string>, name: string): Response => {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      let block = ''
      while (block.length < EXPORT_BLOCK_CHARS) {
        const { value, done } = await lines.next()
        if (done) {
          if (block) controller.enqueue(encoder.encode(block))
          return controller.close()
        }
        block += value
      }
      controller.enqueue(encoder.encode(block))
    },
    cancel: async () => void (await lines.return(undefined)),
  })
  return new Response(body, {
    headers: {
      'content-type': 'application/x-ndjson',
      'content-disposition': `attachment; filename="${name.replaceAll(/[^A-Za-z0-9._-]/g, '_')}.jsonl"`,
    },
  })
}
