// The changes of an import in words, from the server's check and from the events of the file.
import type { ImportReceipt } from 'bridle/client'
import { plural } from 'bridle/words'
import type { FileFacts } from './file-facts.ts'

/** Characters of the names and values of a row: a table is read at a glance, and the debug page of the session has all of them. */
const CLAIM_CHARS = 300

export interface Change {
  readonly what: string
  /** The names and values that the file has. */
  readonly claimed: string
  readonly becomes: string
}

/** `receipt` is null until the server has checked the file. */
export const importChanges = (
  { claims, openTurns, openApprovals, waitingPrompts, given, withheld }: FileFacts,
  receipt: ImportReceipt | null,
): readonly Change[] => {
  const ignored = new Set(receipt?.sessions.flatMap((session) => session.ignored ?? []))
  const [folder, others] = [[...ignored].filter(isWorkspace), [...ignored].filter((name) => !isWorkspace(name))]
  const renamed = receipt?.sessions.filter((session) => session.renamed_from !== undefined) ?? []
  const known = receipt?.sessions.filter((session) => session.existing) ?? []
  const rows: readonly (readonly [count: number, what: string, claimed: string, becomes: string])[] = [
    [folder.length, 'Workspace', claimText(folder, claims), 'Not used. The session has no files of this server'],
    [others.length, plural(others.length, 'setting'), claimText(others, claims), 'Ignored. The agent decides'],
    [given, plural(given, 'given approval'), 'approval_applied', 'Shown, and grants nothing: the agent asks again'],
    [openApprovals, plural(openApprovals, 'open approval'), 'approval_required', 'Cancelled. The calls do not run'],
    [openTurns, plural(openTurns, 'turn in progress', 'turns in progress'), 'turn_start', 'Ends as cancelled'],
    [waitingPrompts, plural(waitingPrompts, 'queued prompt'), 'prompt_queued', 'Removed from the queue'],
    [withheld, plural(withheld, 'withheld event'), '', 'The export has no content of them. The agent does not see it'],
    [
      renamed.length,
      plural(renamed.length, 'renamed session'),
      listText(renamed.map(({ id, renamed_from: from }) => `${from} → ${id}`)),
      'The id is taken here, so it gets another one',
    ],
    [
      known.length,
      plural(known.length, 'known session'),
      listText(known.map(({ id }) => id)),
      'Here already, unchanged',
    ],
  ]
  return rows.flatMap(([count, what, claimed, becomes]) => (count > 0 ? [{ what, claimed, becomes }] : []))
}

const isWorkspace = (name: string): boolean => name.startsWith('workspace_')

const claimText = (names: readonly string[], claims: FileFacts['claims']): string =>
  listText(names.map((name) => `${name}: ${claims.get(name)?.join(' or ') ?? 'set'}`))

const listText = (parts: readonly string[]): string => {
  const text = parts.join(', ')
  return text.length > CLAIM_CHARS ? `${text.slice(0, CLAIM_CHARS).toWellFormed()}…` : text
}

/** The mode that holds, and the one that the file claims where it is another. */
export const modeOf = ({ claims }: FileFacts): { readonly isPlan: boolean; readonly claimed: string | null } => {
  const modes = claims.get('permission_mode') ?? []
  const others = modes.filter((mode) => mode !== 'plan' && mode !== 'normal')
  return { isPlan: modes.length === 1 && modes[0] === 'plan', claimed: others.length > 0 ? listText(others) : null }
}
