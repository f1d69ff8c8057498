// The names that the options of a server on Node may have, in bridle.config.ts and in a program.

import { type OptionNames, type OptionPart, sharedParts, unknownOptionProblem } from '../option-names.ts'
import { wrongPartProblem, wrongValueProblem } from '../option-values.ts'
import type { ServerOptions } from './server-options.ts'

/** The options of a server. */
export const serverOptionNames: OptionNames<ServerOptions> = {
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

const workspaceNames: OptionNames<NonNullable<ServerOptions['workspaces']>> = {
  sources: true,
  tenants: true,
  maxTenantBytes: true,
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
const socketRateNames: OptionNames<NonNullable<ServerOptions['socketRate']>> = { windowMs: true, maxMessages: true }

type PartedOptions = Pick<ServerOptions, 'workspaces' | 'sandbox' | 'memory' | 'socketRate'> &
  Parameters<typeof sharedParts>[0]

const nestedParts = (options: PartedOptions): readonly OptionPart[] => {
  const { workspaces, sandbox, memory, socketRate } = options
  return [
    ...sharedParts(options),
    ['workspaces.', workspaces, workspaceNames],
    ['sandbox.', sandbox, sandboxNames],
    ['sandbox.limits.', sandbox?.limits, sandboxLimitNames],
    ['memory.', memory, memoryNames],
    ['socketRate.', socketRate, socketRateNames],
  ]
}

/** A sentence about the first value that is wrong or the first unknown name; null = there is none. */
export const serverOptionProblem = (options: PartedOptions, known: object = serverOptionNames): string | null =>
  wrongValueProblem(options) ??
  unknownOptionProblem([['', options, known], ...nestedParts(options)]) ??
  wrongPartProblem(options)
