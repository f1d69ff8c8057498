// All cases against one running server, ours or another's: what was played, what was skipped and why, and what is left behind.
import { type CaseServerName, type ConformanceCase, serverSettingsByName } from './case.ts'
import { playCase } from './case-player.ts'
import { type CaseFailure, ServerTimeout, STEP_TIMEOUT_MS } from './failure.ts'
import { fillTemplates } from './match.ts'
import { type ProtocolPage, protocolPages, ruleOf } from './pages.ts'
import { removeSessions } from './session-cleanup.ts'

export interface ConformanceOptions {
  readonly url: string
  readonly token?: string | undefined
  /** Only rules that begin with this. */
  readonly only?: string | undefined
  /** How long one step may take. */
  readonly patienceMs?: number
}

export type CaseResult = { readonly page: ProtocolPage; readonly rule: string; readonly name: string } & (
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'failed'; readonly failure: CaseFailure }
  | { readonly outcome: 'skipped'; readonly reason: string }
) & { readonly removed: number; readonly left: readonly string[] }

/** All sessions that a run makes begin with this, but for two that the server names itself. */
export const SESSION_PREFIX = 'conformance-'

export const selectCases = (only = ''): { readonly page: ProtocolPage; readonly each: ConformanceCase }[] =>
  protocolPages.flatMap((page) =>
    page.cases.filter((each) => ruleOf(each).startsWith(only)).map((each) => ({ page, each })),
  )

export async function* playCases(options: ConformanceOptions): AsyncGenerator<CaseResult, void, undefined> {
  const { url, token, only, patienceMs = STEP_TIMEOUT_MS } = options
  const missing = await missingAgent(url, token, patienceMs)
  const run = `${SESSION_PREFIX}${Date.now().toString(36)}`
  let silent = 0
  for (const [index, { page, each }] of selectCases(only).entries()) {
    const row = { page, rule: ruleOf(each), name: each.name }
    const reason = silent >= SILENT_MAX ? 'the server does not answer any more' : (unmet(each, token) ?? missing)
    if (reason !== null) {
      yield { ...row, outcome: 'skipped', reason, removed: 0, left: [] }
      continue
    }
    const session = `${run}-${index + 1}`
    const isTokenCase = each.server === 'token'
    const steps = isTokenCase ? withToken(each, token ?? '') : each
    // A case about tokens says by itself who asks.
    const saved = new Map([['s', session]])
    const played = { saved, patienceMs, isPaced: true, ...(!isTokenCase && token !== undefined && { token }) }
    const failure = await playCase(url, steps, played).then(
      () => null,
      (error: unknown) => error as CaseFailure,
    )
    silent = failure instanceof ServerTimeout ? silent + 1 : 0
    const { removed, left } = await removeSessions({ url, token, patienceMs }, fillTemplates(steps, saved), saved)
    yield failure === null
      ? { ...row, outcome: 'passed', removed, left }
      : { ...row, outcome: 'failed', failure, removed, left }
  }
}

/** A server that is silent so often in a row has gone; waiting for each further case would take minutes. */
const SILENT_MAX = 3

/** Options that a running server may not have, and that no request can find out. */
const needs: { readonly [name in Exclude<CaseServerName, 'open' | 'token'>]: string } = {
  tenants: 'needs a server that requires a tenant (tenantRequired)',
  scoped: 'needs tokens with scopes, tenants and a user (tokens)',
  limited: 'needs a rate limit of 3 requests an hour (rateLimit)',
  small: 'needs a limit of 1,000 bytes on bodies (maxBodyBytes)',
  beating: 'needs a heartbeat of 30 ms (heartbeatMs, deadAfterMs)',
}

const unmet = ({ server = 'open', isOpenOnly }: ConformanceCase, token: string | undefined): string | null => {
  if (server === 'token') return token === undefined ? 'needs a server with a token: name it with --token' : null
  if (server === 'open') return isOpenOnly && token !== undefined ? 'shows a server that asks for no token' : null
  return needs[server]
}

/** The cases call the token of their server by a name of its own. */
const withToken = (each: ConformanceCase, token: string): ConformanceCase =>
  JSON.parse(
    JSON.stringify(each).replaceAll(
      new RegExp(`(Bearer |Basic |token=)${serverSettingsByName.token.authToken}\\b`, 'g'),
      (_all, before: string) => before + (before === 'token=' ? encodeURIComponent(token) : token),
    ),
  ) as ConformanceCase

/** A server that lists its agents, and the scripted one is not among them, can play nothing. */
const missingAgent = async (url: string, token: string | undefined, patienceMs: number): Promise<string | null> => {
  try {
    const headers: { [name: string]: string } = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/ready`, { headers, signal: AbortSignal.timeout(patienceMs) })
    const { agents } = (await response.json()) as { agents?: unknown }
    if (agents === undefined || JSON.stringify(agents).includes('"scripted"')) return null
    return 'needs the agent `scripted`, which the server does not list'
  } catch {
    return null
  }
}
