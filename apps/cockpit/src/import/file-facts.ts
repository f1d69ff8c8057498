// The facts about an export file that a person reads before an import: its prompts, what it claims, the work that it leaves open, and counts.
// All of it is read from the events once, however the branches nest.
import type { ExportContent, LogEntry } from 'bridle/history'
import type { ShownPrompt } from '../imported/imported-prompts.tsx'

export interface FileFacts {
  readonly prompts: readonly ShownPrompt[]
  /** The settings that the file claims, by their name, with each different value once. */
  readonly claims: ReadonlyMap<string, readonly string[]>
  readonly openTurns: number
  readonly openApprovals: number
  readonly waitingPrompts: number
  /** Approvals that were given, according to the file. */
  readonly given: number
  /** Events whose payload stayed on the server that wrote the file. */
  readonly withheld: number
  readonly counts: FileCounts
}

export interface FileCounts {
  readonly events: number
  readonly sessions: number
  readonly answers: number
  readonly calls: number
  readonly approvals: number
  readonly checkpoints: number
  readonly artifacts: number
  readonly artifactBytes: number
}

type FileSession = ExportContent['sessions'][number]
type Fields = Readonly<Record<string, unknown>>

export const fileFacts = ({ sessions }: ExportContent): FileFacts => {
  const each = sessions.map((session) => sessionFacts(session, sessions.length > 1))
  const sum = (amount: (facts: SessionFacts) => number): number => each.reduce((all, facts) => all + amount(facts), 0)
  const claims = new Map<string, readonly string[]>()
  for (const facts of each)
    for (const [name, value] of facts.claims)
      if (!claims.get(name)?.includes(value)) claims.set(name, [...(claims.get(name) ?? []), value])
  return {
    prompts: each.flatMap(({ prompts }) => prompts),
    claims,
    openTurns: sum(({ openTurns }) => openTurns),
    openApprovals: sum(({ openApprovals }) => openApprovals),
    waitingPrompts: sum(({ waitingPrompts }) => waitingPrompts),
    given: sum(({ given }) => given),
    withheld: sum(({ withheld }) => withheld),
    counts: {
      events: sum(({ events }) => events),
      sessions: sessions.length,
      answers: sum(({ types }) => types.get('response') ?? 0),
      calls: sum(({ types }) => types.get('tool_call') ?? 0),
      approvals: sum(({ types }) => types.get('approval_required') ?? 0),
      checkpoints: sum(({ types }) => types.get('session_checkpoint') ?? 0),
      artifacts: sum(({ types }) => types.get('artifact_published') ?? 0),
      artifactBytes: sum(({ artifactBytes }) => artifactBytes),
    },
  }
}

interface SessionFacts extends Omit<FileFacts, 'claims' | 'counts'> {
  readonly claims: ReadonlyMap<string, string>
  readonly events: number
  readonly types: ReadonlyMap<string, number>
  readonly artifactBytes: number
}

const sessionFacts = ({ session, entries }: FileSession, isOneOfMany: boolean): SessionFacts => {
  const prompts: ShownPrompt[] = []
  const waiting = new Set<unknown>()
  const turns = new Set<unknown>()
  const approvals = new Set<unknown>()
  const types = new Map<string, number>()
  let [settings, given, withheld, artifactBytes]: [Fields, number, number, number] = [{}, 0, 0, 0]
  const addPrompt = ({ seq, payload }: LogEntry, text: unknown, note = ''): void => {
    const { message_id, input, actor } = payload as Fields
    const place = isOneOfMany ? ` of ${session.id} (${session.agent})` : ''
    prompts.push({
      message_id: String(message_id ?? ''),
      text: String(text),
      about: `${typeof actor === 'string' ? actor : 'unknown author'} · event ${seq}${place}${note}`,
      ...(input !== undefined && { input: input as NonNullable<ShownPrompt['input']> }),
    })
  }
  for (const entry of entries) {
    if (entry.withheld) withheld += 1
    // No fold believes such an event.
    if (entry.withheld || entry.hearsay) continue
    const payload = entry.payload as Fields
    if (entry.type !== 'response' || payload.so_far !== true) types.set(entry.type, (types.get(entry.type) ?? 0) + 1)
    switch (entry.type) {
      case 'session_created':
      case 'branched':
      case 'session_imported':
        settings = fieldsOf(payload.settings) ?? settings
        break
      case 'prompt_queued':
        addPrompt(entry, payload.text)
        waiting.add(payload.run_id)
        break
      case 'steered':
        addPrompt(entry, payload.text, ' · steered a run')
        break
      case 'prompt_dropped':
        waiting.delete(payload.run_id)
        break
      case 'turn_start':
        waiting.delete(payload.turn_id)
        turns.add(payload.turn_id)
        break
      case 'turn_end':
        turns.delete(payload.turn_id)
        waiting.delete(payload.turn_id)
        break
      case 'approval_required':
        approvals.add(payload.request_id)
        break
      case 'approval_applied':
        approvals.delete(payload.request_id)
        if (payload.decision === 'approved') given += 1
        break
      case 'artifact_published':
        artifactBytes += typeof payload.size === 'number' ? payload.size : 0
    }
  }
  return {
    ...{ prompts, given, withheld, artifactBytes, types, events: entries.length },
    claims: claimsOf(settings),
    openTurns: turns.size,
    openApprovals: approvals.size,
    waitingPrompts: waiting.size,
  }
}

const claimsOf = (settings: Fields): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(settings)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
