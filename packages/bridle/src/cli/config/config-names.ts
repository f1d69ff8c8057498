// The names that bridle.config.ts may have. A misspelt name is refused: a typo in `tenants` would open all tenants to a token.

import { nearestName } from '../../kernel/text/nearest-name.ts'
import type { ServerOptions } from '../../targets/node/index.ts'

type OptionNames<T> = { readonly [name in keyof Required<T>]: true }
type ElementOf<T> = T extends readonly (infer E)[] ? E : never

const names: OptionNames<ServerOptions> = {
  authToken: true,
  authTokenEnv: true,
  tokens: true,
  extractAuthToken: true,
  authenticate: true,
  tenantRequired: true,
  allowedOrigins: true,
  authBackOff: true,
  agents: true,
  agentsRoot: true,
  builtInAgents: true,
  defaultAgent: true,
  models: true,
  cockpit: true,
  expose: true,
  voiceInstructions: true,
  openharness: true,
  trustedProxies: true,
  retryMs: true,
  keepAliveMs: true,
  watchAgents: true,
  onAgentFiles: true,
  unfinishedMs: true,
  maxUnfinishedBytes: true,
  pingMs: true,
  socketRate: true,
  sandbox: true,
  engines: true,
  port: true,
  host: true,
  data: true,
  store: true,
  keepToken: true,
  ownerToken: true,
  workspaces: true,
  rateLimit: true,
  maxBodyBytes: true,
  env: true,
  tokenPaceMs: true,
  heartbeatMs: true,
  deadAfterMs: true,
  headersMs: true,
  maxConnections: true,
  maxSockets: true,
  maxConnectionsPerAddress: true,
  maxUnsentBytes: true,
  memory: true,
  onRun: true,
  onAgentFailure: true,
  log: true,
}
/** Every name that a settings file may have. */
export const CONFIG_NAMES: readonly string[] = Object.keys(names)

const tokenNames: OptionNames<ElementOf<ServerOptions['tokens']>> = {
  token: true,
  tenants: true,
  scopes: true,
  user: true,
}
const rateLimitNames: OptionNames<NonNullable<ServerOptions['rateLimit']>> = { windowMs: true, maxRequests: true }
const backOffNames: OptionNames<NonNullable<ServerOptions['authBackOff']>> = { windowMs: true, maxFailures: true }
const workspaceNames: OptionNames<NonNullable<ServerOptions['workspaces']>> = {
  sources: true,
  tenants: true,
  maxTenantBytes: true,
}
const openharnessNames: OptionNames<NonNullable<ServerOptions['openharness']>> = {
  waitMs: true,
  restrictedKeys: true,
  fetch: true,
}
const sandboxNames: OptionNames<NonNullable<ServerOptions['sandbox']>> = {
  backend: true,
  url: true,
  max: true,
  idleMs: true,
  maxAgeMs: true,
  proxyUrl: true,
  proxyHost: true,
  network: true,
  limits: true,
}
const sandboxLimitNames: OptionNames<NonNullable<NonNullable<ServerOptions['sandbox']>['limits']>> = {
  memoryBytes: true,
  processes: true,
  workBytes: true,
}
const memoryNames: OptionNames<NonNullable<ServerOptions['memory']>> = { bytes: true, tenantBytes: true }
/** Engines take these and no others; their type is open, for engines of other packages. */
const engineNames = { model: true, models: true, permission_mode: true, max_budget_usd: true, max_turns: true }

/** A sentence about the first unknown name; null = all names are known. */
export const findUnknownName = (config: ServerOptions): string | null => {
  const { tokens, rateLimit, authBackOff, workspaces, openharness, sandbox, engines, memory } = config
  const parts: readonly (readonly [within: string, value: unknown, known: object])[] = [
    ['', config, names],
    ...(Array.isArray(tokens) ? tokens : []).map((token, at) => [`tokens[${at}].`, token, tokenNames] as const),
    ['rateLimit.', rateLimit, rateLimitNames],
    ['authBackOff.', authBackOff, backOffNames],
    ['workspaces.', workspaces, workspaceNames],
    ['openharness.', openharness, openharnessNames],
    ['sandbox.', sandbox, sandboxNames],
    ['sandbox.limits.', sandbox?.limits, sandboxLimitNames],
    ['memory.', memory, memoryNames],
    ...Object.entries(engines ?? {}).map(([name, engine]) => [`engines.${name}.`, engine, engineNames] as const),
  ]
  for (const [within, value, known] of parts) {
    const name = Object.keys(value ?? {}).find((each) => !Object.hasOwn(known, each))
    if (name === undefined) continue
    const near = nearestName(name, Object.keys(known))
    return `there is no "${within}${name}".${near === null ? '' : ` Did you mean "${within}${near}"?`}`
  }
  return null
}
