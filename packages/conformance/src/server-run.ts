// Plays all cases against one running server, of this implementation or another: the result of each case, and the sessions
// that could not be removed.
import { type CaseServerName, type ConformanceCase, serverSettingsByName } from './case.ts'
import { playCase } from './case-player.ts'
import { type CaseFailure, ServerTimeout } from './failure.ts'
import { STEP_TIMEOUT_MS } from './limits.ts'
import { fillTemplates } from './match.ts'
import { type ProtocolPage, protocolPages, ruleOf } from './pages.ts'
import { removeSessions } from './session-cleanup.ts'

/** A server that lets so many cases in a row time out is gone; waiting for each further case would take minutes. */
const TIMEOUTS_MAX = 3

export interface ConformanceOptions {
  readonly url: string
  readonly token?: string | undefined
  /** Plays only the rules that begin with this text. */
  readonly only?: string | undefined
  /** Time for one step. */
  readonly timeoutMs?: number
}

export type CaseResult = { readonly page: ProtocolPage; readonly rule: string; readonly name: string } & (
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'failed'; readonly failure: CaseFailure }
  | { readonly outcome: 'skipped'; readonly reason: string }
) & { readonly removed: number; readonly left: readonly string[] }

/** Prefix of the sessions that the suite makes, except two that the server names itself. */
export const SESSION_PREFIX = 'conformance-'

export const selectCases = (only = ''): { readonly page: ProtocolPage; readonly each: ConformanceCase }[] =>
  protocolPages.flatMap((page) =>
    page.cases.filter((each) => ruleOf(each).startsWith(only)).map((each) => ({ page, each })),
  )

export async function* playCases({
  url,
  token,
  only,
  timeoutMs = STEP_TIMEOUT_MS,
}: ConformanceOptions): AsyncGenerator<CaseResult, void, undefined> {
  const noAgent = await missingAgent(url, token, timeoutMs)
  const run = `${SESSION_PREFIX}${Date.now().toString(36)}`
  let timeouts = 0
  for (const [index, { page, each }] of selectCases(only).entries()) {
    const row = { page, rule: ruleOf(each), name: each.name }
    const reason = timeouts >= TIMEOUTS_MAX ? 'the server does not answer any more' : (unmet(each, token) ?? noAgent)
    if (reason !== null) {
      yield { ...row, outcome: 'skipped', reason, removed: 0, left: [] }
      continue
    }
    const session = `${run}-${index + 1}`
    const isTokenCase = each.server === 'token'
    const steps = isTokenCase ? withToken(each, token ?? '') : each
    // A case about tokens brings its credentials itself.
    const saved = new Map([['s', session]])
    const options = { saved, timeoutMs, isPaced: true, ...(!isTokenCase && token !== undefined && { token }) }
    const failure = await playCase(url, steps, options).then(
      () => null,
      (error: unknown) => error as CaseFailure,
    )
    timeouts = failure instanceof ServerTimeout ? timeouts + 1 : 0
    const { removed, left } = await removeSessions({ url, token, timeoutMs }, fillTemplates(steps, saved), saved)
    yield failure === null
      ? { ...row, outcome: 'passed', removed, left }
      : { ...row, outcome: 'failed', failure, removed, left }
  }
}

/** Options that a running server may lack, and that no request can detect. */
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

/** Replaces the fixed token of the cases with the token of this server. */
const withToken = (each: ConformanceCase, token: string): ConformanceCase =>
  JSON.parse(
    JSON.stringify(each).replaceAll(
      new RegExp(`(Bearer |Basic |token=)${serverSettingsByName.token.authToken}\\b`, 'g'),
      (_all, before: string) => before + (before === 'token=' ? encodeURIComponent(token) : token),
    ),
  ) as ConformanceCase

/** The reason to skip every case: the server lists its agents, and `scripted` is not among them. Null = it may be there. */
const missingAgent = async (url: string, token: string | undefined, timeoutMs: number): Promise<string | null> => {
  try {
    const headers: { [name: string]: string } = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/ready`, { headers, signal: AbortSignal.timeout(timeoutMs) })
    const { agents } = (await response.json()) as { agents?: unknown }
    if (agents === undefined || JSON.stringify(agents).includes('"scripted"')) return null
    return 'needs the agent `scripted`, which the server does not list'
  } catch {
    return null
  }
}
