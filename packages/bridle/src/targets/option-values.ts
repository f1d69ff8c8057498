// The kinds of values that options may have, for every target. A value of another kind would fail deep inside the server, with a message
// that names no option; or it would not fail: of a text in place of a list of origins, every part is an allowed origin.
import type { Scope } from '../surfaces/http/access/authenticate.ts'

const kinds = {
  text: { name: 'a text', fits: (value: unknown) => typeof value === 'string' },
  number: { name: 'a number', fits: (value: unknown) => typeof value === 'number' },
  positive: { name: 'a finite number above 0', fits: (value: unknown) => Number.isFinite(value) && Number(value) > 0 },
  flag: { name: 'true or false', fits: (value: unknown) => typeof value === 'boolean' },
  list: { name: 'a list', fits: (value: unknown) => Array.isArray(value) },
  object: {
    name: 'an object',
    fits: (value: unknown) => typeof value === 'object' && !Array.isArray(value),
  },
  function: { name: 'a function', fits: (value: unknown) => typeof value === 'function' },
  textOrList: { name: 'a text or a list', fits: (value: unknown) => typeof value === 'string' || Array.isArray(value) },
  textOrFunction: {
    name: 'a text or a function',
    fits: (value: unknown) => typeof value === 'string' || typeof value === 'function',
  },
  port: {
    name: 'a number from 0 to 65535',
    // A text of digits too: process.env.PORT is one.
    fits: (value: unknown) => /^\d{1,5}$/.test(String(value)) && Number(value) < 65_536,
  },
} as const

const optionKinds: Readonly<Record<string, keyof typeof kinds>> = {
  port: 'port',
  host: 'text',
  data: 'text',
  store: 'textOrFunction',
  agents: 'textOrList',
  builtInAgents: 'list',
  defaultAgent: 'text',
  models: 'object',
  engines: 'object',
  sandbox: 'object',
  workspaces: 'object',
  memory: 'object',
  openharness: 'object',
  authToken: 'text',
  authTokenEnv: 'text',
  keepToken: 'flag',
  tokens: 'list',
  authenticate: 'function',
  extractAuthToken: 'function',
  tenantRequired: 'flag',
  allowedOrigins: 'list',
  trustedProxies: 'list',
  expose: 'list',
  voiceInstructions: 'flag',
  rateLimit: 'object',
  authBackOff: 'object',
  socketRate: 'object',
  maxBodyBytes: 'number',
  maxConnections: 'number',
  maxSockets: 'number',
  maxConnectionsPerAddress: 'number',
  maxUnsentBytes: 'number',
  maxUnfinishedBytes: 'number',
  tokenPaceMs: 'number',
  heartbeatMs: 'number',
  deadAfterMs: 'number',
  headersMs: 'number',
  keepAliveMs: 'number',
  retryMs: 'number',
  unfinishedMs: 'number',
  pingMs: 'number',
  log: 'function',
}

/** A sentence about the first value of another kind; null = all fit. It never shows the value, which may be a secret. */
export const wrongValueProblem = (options: object): string | null => {
  for (const [name, kind] of Object.entries(optionKinds)) {
    const value = (options as Readonly<Record<string, unknown>>)[name] ?? undefined
    if (value !== undefined && !kinds[kind].fits(value)) return `"${name}" must be ${kinds[kind].name}.`
  }
  const { tokens = [] } = options as { tokens?: readonly unknown[] | null }
  return tokens?.map(findWrongToken).find((problem) => problem !== null) ?? null
}

const scopeNames: { readonly [scope in Scope]: true } = { observe: true, operate: true, approve: true }
const tokenParts = { token: 'text', user: 'text', tenants: 'list', scopes: 'list' } as const

/** A scope that does not exist would leave its token without a right, and nobody would know why. */
const findWrongToken = (row: unknown, at: number): string | null => {
  if (typeof row !== 'object' || row === null) return `"tokens[${at}]" must be an object.`
  const parts = row as Readonly<Record<string, unknown>>
  for (const [name, kind] of Object.entries(tokenParts)) {
    const value = parts[name] ?? undefined
    if (value !== undefined && !kinds[kind].fits(value)) return `"tokens[${at}].${name}" must be ${kinds[kind].name}.`
  }
  const scopes = (parts.scopes ?? []) as readonly unknown[]
  if (scopes.every((scope) => typeof scope === 'string' && Object.hasOwn(scopeNames, scope))) return null
  return `"tokens[${at}].scopes" must be a list of ${Object.keys(scopeNames).join(', ')}.`
}

/** Rates need both numbers: without a maximum above 0, every request would be one too many. */
const rateParts = {
  rateLimit: ['windowMs', 'maxRequests'],
  authBackOff: ['windowMs', 'maxFailures'],
  socketRate: ['windowMs', 'maxMessages'],
} as const

/** A sentence about the first part of an option that is missing or wrong. Check the names before: a misspelt part is missing, too. */
export const wrongPartProblem = (options: object): string | null => {
  const { engines } = options as { engines?: object | null }
  return findWrongRate(options) ?? findWrongEngine(engines ?? {})
}

const findWrongRate = (options: object): string | null => {
  for (const [option, names] of Object.entries(rateParts)) {
    const rate = (options as Readonly<Record<string, Readonly<Record<string, unknown>> | null | undefined>>)[option]
    const wrong = rate && names.find((name) => !kinds.positive.fits(rate[name]))
    if (!wrong) continue
    const is = (rate[wrong] ?? undefined) === undefined ? 'is missing: it ' : ''
    return `"${option}.${wrong}" ${is}must be ${kinds.positive.name}.`
  }
  return null
}

/** Modes that both engines have. Of another, Codex would ask before everything, and Claude Code would fail in every run. */
const permissionModes: readonly unknown[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']

const engineSettingKinds = {
  model: kinds.text,
  permission_mode: {
    name: permissionModes.join(', ').replace(/, (?=\w+$)/, ' or '),
    fits: (value: unknown) => permissionModes.includes(value),
  },
  max_budget_usd: {
    name: 'a number, 0 or more',
    fits: (value: unknown) => Number.isFinite(value) && Number(value) >= 0,
  },
  max_turns: {
    name: 'a whole number, 0 or more',
    fits: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  },
  models: {
    name: 'a list of texts',
    fits: (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  },
} as const

/** A run checks its settings again, with a schema, but its error cannot name the options that they come from. No schema here: every verb loads this. */
const findWrongEngine = (engines: object): string | null => {
  for (const [engine, config] of Object.entries(engines)) {
    if (!kinds.object.fits(config ?? {})) return `"engines.${engine}" must be an object.`
    for (const [name, { name: kind, fits }] of Object.entries(engineSettingKinds)) {
      const value = config?.[name] ?? undefined
      if (value !== undefined && !fits(value)) return `"engines.${engine}.${name}" must be ${kind}.`
    }
  }
  return null
}
