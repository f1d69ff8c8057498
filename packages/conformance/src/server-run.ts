import { type CaseServerName, type ConformanceCase, serverSettingsByName } from './case.ts'
import { playCase } from './case-player.ts'
import { type CaseFailure, ServerTimeout } from './failure.ts'
import { STEP_TIMEOUT_MS } from './limits.ts'
import { fillTemplates } from './match.ts'
import { type ProtocolPage, protocolPages, ruleOf } from './pages.ts'
import { removeSessions } from './session-cleanup.ts'

/** After this many timeouts in a row the server is down, and waiting on every other case would take minutes. */
const TIMEOUTS_MAX = 3

export interface ConformanceOptions {
  readonly url: string
  readonly token?: string | undefined
  /** Id prefix of the rules to play. */
  readonly only?: string | undefined
  readonly timeoutMs?: number
}

export type CaseResult = { readonly page: ProtocolPage; readonly rule: string; readonly name: string } & (
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'failed'; readonly failure: CaseFailure }
  | { readonly outcome: 'skipped'; readonly reason: string }
) & { readonly removed: number; readonly left: readonly string[] }

/** Two sessions, which the server names itself, lack it. */
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
    // Cases about tokens bring their own credentials.
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

/** Options that requests cannot detect. */
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

const withToken = (each: ConformanceCase, token: string): ConformanceCase =>
  JSON.parse(
    JSON.stringify(each).replaceAll(
      new RegExp(`(Bearer |Basic |token=)${serverSettingsByName.token.authToken}\\b`, 'g'),
      (_all, before: string) => before + (before === 'token=' ? encodeURIComponent(token) : token),
    ),
  ) as ConformanceCase

/** Why every case must be skipped, if the server's agent list lacks `scripted`. Null if that is unknown. */
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
