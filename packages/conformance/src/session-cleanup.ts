// Removes a case's sessions after it passes or fails, and nothing else on the server.
import type { ConformanceCase } from './case.ts'
import type { SavedValues } from './match.ts'

interface ServerUnderTest {
  readonly url: string
  readonly token: string | undefined
  readonly timeoutMs: number
}

const DEFAULT_TENANT = null

export interface SessionCleanup {
  readonly removed: number
  readonly left: readonly string[]
}

/** Includes sessions that the server named, for each tenant of the case. */
export const removeSessions = async (
  server: ServerUnderTest,
  { steps }: ConformanceCase,
  saved: SavedValues,
): Promise<SessionCleanup> => {
  const session = saved.get('s') ?? ''
  const text = JSON.stringify(steps)
  const ids = new Set(text.match(new RegExp(`${session}(?:[.-][A-Za-z0-9]+)*`, 'g')) ?? [])
  for (const name of NAMED_BY_SERVER) ids.add(saved.get(name) ?? session)
  const tenants = [DEFAULT_TENANT, ...new Set([...text.matchAll(TENANT)].map(([, name]) => name as string))]
  let removed = 0
  const left: string[] = []
  for (const id of ids)
    for (const tenant of tenants) {
      const status = await remove(server, id, tenant)
      if (status !== null && status < 300) removed += 1
      else if (status !== 404 && status !== 400 && status !== 403) left.push(id)
    }
  return { removed, left }
}

/** Names under which cases save ids that the server chose. */
const NAMED_BY_SERVER = ['made', 'child']
const TENANT = /(?:"x-fabric-tenant":"|[?&]tenant=)([A-Za-z0-9]+)/g

const remove = async (server: ServerUnderTest, id: string, tenant: string | null): Promise<number | null> => {
  try {
    const removed = await ask(server, 'DELETE', `/agents/scripted/${encodeURIComponent(id)}`, tenant)
    if (removed.status !== 404) return removed.status
    // Imports can create sessions of other agents.
    const found = await ask(server, 'GET', `/sessions/${encodeURIComponent(id)}`, tenant)
    const { agent } = JSON.parse(found.text || '{}') as { readonly agent?: string }
    if (found.status !== 200 || !agent) return removed.status
    const path = `/agents/${encodeURIComponent(agent)}/${encodeURIComponent(id)}`
    return (await ask(server, 'DELETE', path, tenant)).status
  } catch {
    return null
  }
}

const ask = async (
  { url, token, timeoutMs }: ServerUnderTest,
  method: string,
  path: string,
  tenant: string | null,
): Promise<{ readonly status: number; readonly text: string }> => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(tenant !== null && { 'x-fabric-tenant': tenant }),
    },
    signal: AbortSignal.timeout(timeoutMs),
  })
  return { status: response.status, text: await response.text() }
}
