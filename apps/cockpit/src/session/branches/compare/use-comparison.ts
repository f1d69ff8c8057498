// The logs, details and files of two sessions, compared.
import type { ChatSession, FabricClient, LogEntry, TreeSession } from 'bridle/client'
import { useEffect, useRef } from 'react'
import { useServer } from '../../../server/server-context.tsx'
import { type Loaded, useLoaded } from '../../../server/use-loaded.ts'
import { type Comparison, compareLogs } from './comparison.ts'

/** Entries of each log that are compared: two long days of work, and a second to fold. */
const COMPARED_ENTRIES_MAX = 40_000
/** Entries before the point where two sessions part, to show what they last had in common. */
const SHARED_ENTRIES = 200

export interface ComparedSession {
  readonly detail: ChatSession
  /** Paths of files that differ from the source, and names of artifacts. */
  readonly files: readonly string[]
  /** The log is longer than what was compared. */
  readonly isCut: boolean
}

export interface ComparedPair extends Comparison {
  readonly since: number
  readonly sessions: { readonly a: ComparedSession; readonly b: ComparedSession }
}

/** `since` is the last event that both logs have; null = nothing is compared. */
export const useComparison = (
  a: TreeSession | undefined,
  b: TreeSession | undefined,
  since: number | null,
): Loaded<ComparedPair> => {
  const { client } = useServer()
  const key = a && b && since !== null ? `${a.id} ${a.agent} ${b.id} ${b.agent} ${since}` : null
  const loaded = useLoaded(key, async () => {
    const [one, other] = await Promise.all([load(client, a, since ?? 0), load(client, b, since ?? 0)])
    return { ...compareLogs(one.entries, other.entries, since ?? 0), since: since ?? 0, sessions: { a: one, b: other } }
  })
  const heads = `${a?.head} ${a?.status} ${b?.head} ${b?.status}`
  const seen = useRef(heads)
  const { reload } = loaded
  useEffect(() => {
    if (seen.current !== heads) reload()
    seen.current = heads
  }, [heads, reload])
  return loaded
}

const load = async (client: FabricClient, session: TreeSession | undefined, since: number) => {
  const { id, agent } = session ?? { id: '', agent: '' }
  const [detail, log, files] = await Promise.all([
    client.chat(id, agent),
    entriesSince(client, { id, agent }, since),
    filesOf(client, { id, agent }),
  ])
  return { detail, ...log, files }
}

type SessionName = Pick<TreeSession, 'id' | 'agent'>

const entriesSince = async (client: FabricClient, { id, agent }: SessionName, since: number) => {
  const entries: LogEntry[] = []
  let after: number | null = Math.max(0, since - SHARED_ENTRIES)
  while (after !== null && entries.length < COMPARED_ENTRIES_MAX) {
    const page: Awaited<ReturnType<FabricClient['log']>> = await client.log(id, { agent, after, content: 'none' })
    entries.push(...page.entries)
    after = page.next
  }
  return { entries, isCut: after !== null }
}

/** A server without files says so; a comparison is worth something without them. */
const filesOf = async (client: FabricClient, { id, agent }: SessionName): Promise<readonly string[]> => {
  const [workspace, artifacts] = await Promise.allSettled([
    client.workspace(id, agent),
    client.artifacts(id, { agent }),
  ])
  const changed = workspace.status === 'fulfilled' ? workspace.value.changes.map(({ path }) => path) : []
  const named = artifacts.status === 'fulfilled' ? artifacts.value.artifacts : []
  // The records of a workspace are the same in every session that has one.
  const own = named.filter(({ kind }) => kind !== 'workspace' && kind !== 'task_graph').map(({ name }) => name)
  return [...new Set([...changed, ...own])].toSorted()
}
