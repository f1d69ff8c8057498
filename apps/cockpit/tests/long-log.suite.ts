// Long logs without a run that writes them: a generated export, which the server imports at once.
import { createHash } from 'node:crypto'
import type { FabricClient } from 'bridle/client'

interface LoggedEvent {
  readonly type: string
  readonly payload: object
}

/** Imports a session whose turns have these events. */
export const importLongLog = async (
  client: FabricClient,
  id: string,
  turns: readonly (readonly LoggedEvent[])[],
): Promise<void> => {
  await client.importSessions(longLogFile(id, turns))
}

const longLogFile = (id: string, turns: readonly (readonly LoggedEvent[])[]): string => {
  const begin = Date.UTC(2026, 0, 1)
  const lines = [
    { bridle: 'export', version: 1, created_by: 'bridle' },
    { session: { id, agent: 'scripted', kind: 'chat' } },
  ].map((line) => JSON.stringify(line))
  let seq = 0
  const add = ({ type, payload }: LoggedEvent, run?: string): void => {
    seq += 1
    const owner = run === undefined ? {} : { run, attempt: 1 }
    lines.push(JSON.stringify({ seq, at: begin + seq, type, ...owner, payload }))
  }
  add({ type: 'session_created', payload: { kind: 'chat', agent: 'scripted' } })
  for (const [index, events] of turns.entries()) {
    const run = `r-${seq + 1}`
    const prompt = `Prompt ${index + 1}`
    add({ type: 'prompt_queued', payload: { run_id: run, message_id: `m-${seq + 1}`, text: prompt } })
    add({ type: 'run_requested', payload: { run_id: run, attempt: 1 } })
    add({ type: 'turn_start', payload: { turn_id: run, prompt, message_id: `m-${seq + 1}` } }, run)
    for (const event of events) add(event, run)
    add({ type: 'turn_end', payload: { turn_id: run, status: 'completed', queued: 0 } }, run)
  }
  const body = lines.map((line) => `${line}\n`).join('')
  const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`
  return `${body}${JSON.stringify({ end: { sessions: 1, entries: seq, digest } })}\n`
}
