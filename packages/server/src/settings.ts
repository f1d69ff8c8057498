// Options, flags, variables, `--help` and docs/settings.md are derived from this table. Plain data with hardly any imports,
// because most verbs load it.

import { type EngineName, engineDescriptions } from '@bridle/runners/engine-table/descriptions'
import type { ResourceLimits } from '@bridle/runners/sandboxes/resources/resource-limits'
import type { TokenGrant } from '@bridle/surfaces/http/access/authenticate'
import type { HarnessOptions } from './cloudflare/platform/options.ts'
import type { ServerOptions } from './node/server-options.ts'
import type { OptionPart, OptionParts, ValueKind } from './option-problem.ts'

export type SettingTarget = 'node' | 'cloudflare' | 'runner' | 'cli'

export interface Setting extends OptionPart {
  /** Kind of the option, or of the variable if the setting is not an option. */
  readonly kind: ValueKind
  /** With a placeholder for its value. `--name` alone is a switch. */
  readonly flag?: `--${string}`
  /** The first one that is set wins. A row in capitals is a variable itself. */
  readonly env?: readonly string[]
  /** Variables that people try instead; at start, the right name is suggested. */
  readonly mistakes?: readonly string[]
  readonly on: readonly SettingTarget[]
  readonly default?: string
  /** A Markdown sentence for docs/settings.md and `--help`. */
  readonly doc: string
  readonly rule?: string
}

const NODE = ['node'] as const
const WORKER = ['cloudflare'] as const
const BOTH = ['node', 'cloudflare'] as const
const RUNNER = ['runner'] as const
const CLI = ['cli'] as const

type OptionName = keyof ServerOptions | keyof HarnessOptions
type TargetsOf<N> = N extends keyof ServerOptions
  ? N extends keyof HarnessOptions
    ? typeof BOTH
    : typeof NODE
  : typeof WORKER
type PartsOf<T> = { readonly [N in keyof Required<T>]: OptionParts[string] }
type ObjectOption = 'authBackOff' | 'rateLimit' | 'socketRate' | 'memory' | 'workspaces' | 'openharness' | 'sandbox'
/** The compiler requires a row per option, with the targets that support it. An option that is an object lists its fields. */
type SettingRows = { readonly [N in OptionName]-?: Setting & { readonly on: TargetsOf<N> } } & {
  readonly [N in ObjectOption]: { readonly parts: PartsOf<NonNullable<ServerOptions[N]>> }
} & {
  readonly engines: { readonly parts: { readonly [N in EngineName]: OptionPart } }
  readonly tokens: { readonly each: { readonly parts: PartsOf<TokenGrant> } }
  readonly [name: Uppercase<string> | `--${string}`]: Setting
}

/** Checked again by each run, whose error cannot name the option. The type is open, like the wire to a runner. */
const ENGINE = {
  kind: 'object',
  parts: {
    model: 'text',
    models: 'texts',
    effort: 'text',
    instructions: 'textOrFile',
    tools: 'list',
    mcp: 'object',
    permission_mode: 'permissionMode',
    max_budget_usd: 'amount',
    max_turns: 'count',
    repository: 'repositoryUse',
  },
} as const

const ENGINES = Object.fromEntries(engineDescriptions.map(({ name }) => [name, ENGINE])) as {
  readonly [N in EngineName]: typeof ENGINE
}

// biome-ignore format: one row per line
export const settings = {
  port: { kind: 'port', flag: '--port PORT', env: ['PORT'], mistakes: ['BRIDLE_PORT'], on: NODE, default: '4317', doc: 'port to listen on; 0 picks a free one' },
  host: { kind: 'text', flag: '--host ADDRESS', mistakes: ['BRIDLE_HOST'], on: NODE, default: '127.0.0.1', doc: 'address to listen on; any other than loopback needs a token' },
  data: { kind: 'text', flag: '--data FOLDER', env: ['BRIDLE_DATA'], on: NODE, default: '`.bridle`', doc: 'data folder, which holds everything the server stores; one process owns it' },
  store: { kind: 'textOrFunction', flag: '--store STORE', env: ['BRIDLE_STORE'], on: NODE, default: '`sqlite`', doc: 'where sessions are kept: `sqlite`, `memory`, or the path of a module that opens a store', rule: '[O40](operating.md)' },
  agents: { kind: 'textOrList', flag: '--agents FOLDER', env: ['BRIDLE_AGENTS'], on: BOTH, default: '`agents`', doc: 'folder of agent files; in code it can also be a list of agents', rule: '[C102](cli.md)' },
  agentsRoot: { kind: 'any', on: NODE, default: '`.`', doc: 'folder that holds `agents/` and `.fabricharness/agents/`; `false`: no agent files' },
  brokenAgents: { kind: 'list', on: WORKER, default: 'none', doc: 'agents whose files could not be built, each with the reason; `bridle dev` sets it' },
  watchAgents: { kind: 'flag', on: NODE, default: 'off; on in `dev`', doc: 'reloads changed agent files; runs that have started keep their version' },
  onAgentFiles: { kind: 'function', on: NODE, default: 'problems are logged', doc: 'function that receives loaded, changed, and broken agent files' },
  onRun: { kind: 'function', on: NODE, default: 'none', doc: 'function that receives how each run ended, or why it waits' },
  onAgentFailure: { kind: 'function', on: NODE, default: 'errors are logged', doc: 'function that receives errors thrown by agents, with their stacks' },
  '--accept': { kind: 'list', flag: '--accept FILE', on: NODE, default: 'none', doc: 'load this file or package, although it changed while a session worked in place; repeatable', rule: '[C390](cli.md)' },
  '--target': { kind: 'text', flag: '--target TARGET', on: NODE, default: '`node`', doc: 'runtime of `dev`: `node` or `cloudflare`', rule: '[C15](cli.md)' },
  keepToken: { kind: 'flag', flag: '--token', on: NODE, default: 'off', doc: 'make a token once, keep it in the data folder, and require it from every caller', rule: '[O21](operating.md)' },
  authToken: { kind: 'secret', env: ['FABRIC_HARNESS_API_TOKEN', 'FH_AUTH_TOKEN'], mistakes: ['BRIDLE_AUTH_TOKEN', 'BRIDLE_TOKEN'], on: BOTH, default: 'none', doc: 'token that every caller must send; without one, a server accepts only local callers' },
  authTokenEnv: { kind: 'text', on: NODE, default: 'none', doc: 'name of the variable that holds the token' },
  tokens: { kind: 'list', each: { kind: 'object', isRequired: true, parts: { token: 'text', user: 'text', tenants: 'list', scopes: 'scopes' } }, on: BOTH, default: 'none', doc: 'further tokens, each `{ token, tenants, scopes, user }`', rule: '[O2](operating.md)' },
  extractAuthToken: { kind: 'function', on: BOTH, default: 'none', doc: 'function that allows or denies a request before tokens are checked' },
  authenticate: { kind: 'function', on: BOTH, default: 'none', doc: 'function of your app that returns the signed-in user', rule: '[H130](protocol/http.md), [in an existing app](embedding.md)' },
  ownerToken: { kind: 'secret', on: NODE, default: 'none', doc: 'token of the user who runs the server, valid for any folder of that user; `bridle run` creates one for its server', rule: '[O70](operating.md)' },
  authBackOff: { kind: 'object', parts: { windowMs: 'rate', maxFailures: 'rate' }, on: BOTH, default: '30 in a minute', doc: 'wrong tokens accepted from one address before it has to wait: `{ windowMs, maxFailures }`' },
  BRIDLE_SECRET: { kind: 'secret', on: BOTH, default: 'generated once', doc: 'secret that signs tickets and the tokens of runs and sandboxes; at least 32 characters' },
  tenantRequired: { kind: 'flag', env: ['FABRIC_HARNESS_TENANT_REQUIRED'], mistakes: ['BRIDLE_TENANT_REQUIRED'], on: BOTH, default: 'off', doc: '`1`: every request must name its tenant' },
  FABRIC_MODE: { kind: 'text', env: ['FABRIC_MODE', 'FABRIC_ENV', 'NODE_ENV'], on: BOTH, doc: '`production`: only agents with a webhook trigger are exposed', rule: '[H16](protocol/http.md)' },
  expose: { kind: 'list', env: ['BRIDLE_EXPOSE'], on: BOTH, default: 'none', doc: 'agents that production exposes without a trigger, separated by commas' },
  allowedOrigins: { kind: 'list', on: BOTH, default: "the server's own", doc: 'origins whose pages may call the server' },
  trustedProxies: { kind: 'list', env: ['BRIDLE_TRUST_PROXY'], on: NODE, default: 'none', doc: 'proxies whose `X-Forwarded-*` headers are trusted: addresses, ranges, or `loopback`', rule: '[O35](operating.md)' },
  rateLimit: { kind: 'object', parts: { windowMs: 'rate', maxRequests: 'rate' }, on: BOTH, default: 'none', doc: 'requests of one caller: `{ windowMs, maxRequests }`', rule: '[H17](protocol/http.md)' },
  builtInAgents: { kind: 'list', on: NODE, default: 'all', doc: 'built-in agents to serve, such as `claude`' },
  defaultAgent: { kind: 'text', env: ['BRIDLE_AGENT'], on: NODE, default: '`claude` if it can run, else `assistant`, else `scripted`', doc: 'agent of a session that names none' },
  BRIDLE_MODEL: { kind: 'text', on: BOTH, default: 'none', doc: 'model of the agent `assistant`, such as `anthropic/claude-sonnet-4-5`; further ones, separated by commas, are fallbacks', rule: '[N107](agents/models.md)' },
  BRIDLE_MODEL_URL: { kind: 'text', on: BOTH, default: 'none', doc: 'address of a model server, such as Ollama, for models named `openai-compatible/…`' },
  BRIDLE_MODEL_KEY: { kind: 'secret', on: BOTH, default: 'none', doc: 'key for `BRIDLE_MODEL_URL`' },
  models: { kind: 'object', on: BOTH, default: '`@ai-sdk/…`', doc: 'model providers by name' },
  ANTHROPIC_API_KEY: { kind: 'secret', on: ['node', 'cloudflare', 'runner'], default: 'none', doc: 'key for `claude` and models of Anthropic; it never leaves the server' },
  OPENAI_API_KEY: { kind: 'secret', on: ['node', 'cloudflare', 'runner'], default: 'none', doc: 'key for `codex` and models of OpenAI; it never leaves the server' },
  ANTHROPIC_AUTH_TOKEN: { kind: 'secret', on: ['node', 'cloudflare', 'runner'], default: 'none', doc: "bearer token for Anthropic's API, instead of the key" },
  ANTHROPIC_BASE_URL: { kind: 'address', on: ['node', 'cloudflare', 'runner'], default: "Anthropic's", doc: "other address of Anthropic's API" },
  OPENAI_BASE_URL: { kind: 'address', on: ['node', 'cloudflare', 'runner'], default: "OpenAI's", doc: "other address of OpenAI's API" },
  BRIDLE_ENGINES: { kind: 'text', on: NODE, default: 'the current folder', doc: 'folder in which engines are installed' },
  engines: { kind: 'object', parts: ENGINES, on: BOTH, doc: 'settings of each engine: `model`, `models`, `effort`, `instructions`, `permission_mode`, `max_budget_usd`, `max_turns`, `repository`, `mcp`, `tools`', rule: '[engines](engines.md)' },
  sandbox: { kind: 'object', parts: { backend: 'any', url: 'any', max: 'any', idleMs: 'any', maxAgeMs: 'any', proxyUrl: 'any', proxyHost: 'any', network: 'any', limits: { kind: 'object', parts: { memoryBytes: 'any', processes: 'any', workBytes: 'any' } satisfies PartsOf<ResourceLimits> } }, env: ['BRIDLE_SANDBOX'], on: NODE, default: '`bubblewrap`', doc: '`process`: engines run without isolation; in code also `network` and limits', rule: '[O13](operating.md)' },
  BRIDLE_SANDBOX_NETWORK: { kind: 'text', on: ['node', 'runner'], default: '`none`', doc: 'hosts that engines may reach, separated by commas; `host`: all', rule: '[O17](operating.md)' },
  BRIDLE_SANDBOX_UID: { kind: 'text', on: ['node', 'runner'], default: '61017', doc: 'user id that engines run as when the server runs as root' },
  BRIDLE_RUNNER_URL: { kind: 'address', on: BOTH, default: 'none', doc: 'remote runner for engines' },
  BRIDLE_RUNNER_TOKEN: { kind: 'secret', on: ['node', 'cloudflare', 'runner'], default: 'none', doc: 'token of a runner, which requires it from its callers' },
  workspaces: { kind: 'object', parts: { sources: 'any', tenants: 'any', maxTenantBytes: 'any' }, on: NODE, default: 'none', doc: 'folders that workspaces can start from: `{ sources, tenants, maxTenantBytes }`', rule: '[O25](operating.md)' },
  BRIDLE_STT_URL: { kind: 'text', on: BOTH, default: 'none', doc: 'speech-to-text service', rule: '[voice](operating.md#voice)' },
  BRIDLE_STT_KEY: { kind: 'secret', on: BOTH, default: 'none', doc: 'key for `BRIDLE_STT_URL`' },
  BRIDLE_STT_MODEL: { kind: 'text', on: BOTH, default: '`gpt-4o-mini-transcribe`', doc: 'model of the speech-to-text service' },
  BRIDLE_TTS_URL: { kind: 'text', on: BOTH, default: 'none', doc: 'text-to-speech service' },
  BRIDLE_TTS_KEY: { kind: 'secret', on: BOTH, default: 'none', doc: 'key for `BRIDLE_TTS_URL`' },
  BRIDLE_TTS_MODEL: { kind: 'text', on: BOTH, default: '`gpt-4o-mini-tts`', doc: 'model of the text-to-speech service' },
  BRIDLE_TTS_VOICE: { kind: 'text', on: BOTH, default: '`alloy`', doc: 'voice for clients that name none' },
  voiceInstructions: { kind: 'flag', env: ['BRIDLE_VOICE_INSTRUCTIONS'], on: BOTH, default: 'on', doc: '`0`: clients of a voice line cannot add instructions' },
  openharness: { kind: 'object', parts: { waitMs: 'any', restrictedKeys: 'any', fetch: 'any' }, on: BOTH, doc: 'engine of OpenHarness shells: `{ waitMs, restrictedKeys, fetch }`' },
  cockpit: { kind: 'any', on: NODE, default: 'the built-in one', doc: 'web app at `/`: a folder of built files, a function, or `false`' },
  log: { kind: 'function', env: ['BRIDLE_LOG'], on: NODE, default: '`info`; `warn` on a terminal and in `dev`', doc: '`debug`, `info`, `warn`, `error`, or `silent`; in code a function that receives the log' },
  env: { kind: 'object', on: NODE, default: '`process.env`', doc: "the server's environment variables" },
  memory: { kind: 'object', parts: { bytes: 'any', tenantBytes: 'any' }, on: NODE, default: '256 MiB', doc: 'memory for loaded sessions, beyond which idle ones are evicted: `{ bytes, tenantBytes }`' },
  maxBodyBytes: { kind: 'number', on: BOTH, default: '8 MiB', doc: 'maximum size of a request body' },
  maxConnections: { kind: 'number', on: NODE, default: '20,000', doc: 'maximum number of open connections' },
  maxConnectionsPerAddress: { kind: 'number', on: NODE, default: '1,000, except loopback', doc: 'maximum number of open connections from one address' },
  maxSockets: { kind: 'number', on: NODE, default: '10,000', doc: 'maximum number of open sockets' },
  maxUnsentBytes: { kind: 'number', on: NODE, default: '256 MiB', doc: 'maximum of unsent bytes in all streams and sockets' },
  maxUnfinishedBytes: { kind: 'number', on: NODE, default: '64 MiB', doc: 'maximum of bytes in incomplete messages' },
  unfinishedMs: { kind: 'number', on: NODE, default: '30 s', doc: 'timeout for a message to arrive completely' },
  socketRate: { kind: 'object', parts: { windowMs: 'rate', maxMessages: 'rate' }, on: NODE, default: '20,000 in 10 s', doc: 'messages of one socket: `{ windowMs, maxMessages }`' },
  pingMs: { kind: 'number', on: NODE, default: '30 s', doc: 'time between pings' },
  deadAfterMs: { kind: 'number', on: BOTH, default: '45 s; 5 minutes on Cloudflare', doc: 'timeout after which a silent socket is closed' },
  heartbeatMs: { kind: 'number', on: BOTH, default: '15 s; on Cloudflare only while a run is active', doc: 'time between heartbeats on a stream or socket' },
  retryMs: { kind: 'number', on: NODE, default: '2 s', doc: 'time before the reader of a stream reconnects' },
  headersMs: { kind: 'number', on: NODE, default: '10 s', doc: 'timeout for the headers of a request' },
  keepAliveMs: { kind: 'number', on: NODE, default: '75 s', doc: 'time that an idle connection stays open' },
  tokenPaceMs: { kind: 'number', on: BOTH, default: '16', doc: 'minimum time between two token events, in ms; 0 sends every token' },
  streamMs: { kind: 'number', on: WORKER, default: 'never', doc: 'time after which the server ends an event stream; its reader resumes', rule: '[CF4](cloudflare.md)' },
  watchdogMs: { kind: 'number', on: WORKER, default: '30 s', doc: 'interval of the alarm that restarts an inactive run', rule: '[CF3](cloudflare.md)' },
  BRIDLE_OPEN: { kind: 'flag', on: WORKER, default: 'off', doc: '`1`: no token is needed, from any address' },
  BRIDLE_ALLOWED_ORIGINS: { kind: 'text', on: WORKER, default: "the Worker's own", doc: '`allowedOrigins`, separated by commas' },
  BRIDLE_PUBLIC_URL: { kind: 'text', on: WORKER, default: 'the address that the last caller used', doc: 'address at which sandboxes reach the Worker' },
  BRIDLE_HEARTBEAT_MS: { kind: 'text', on: WORKER, default: '15000 while a run is active', doc: '`heartbeatMs`, also for sessions that are idle; `0`: none', rule: '[CF25](cloudflare.md)' },
  BRIDLE_DIRECTORY_SHARDS: { kind: 'text', on: WORKER, default: '1', doc: "number of objects that hold a tenant's directory", rule: '[CF16](cloudflare.md)' },
  BRIDLE_DIRECTORY_SHARDS_BEFORE: { kind: 'text', on: WORKER, default: 'none', doc: 'earlier values of `BRIDLE_DIRECTORY_SHARDS`, separated by commas', rule: '[CF16](cloudflare.md)' },
  BRIDLE_RUNNER_TOKEN_FROM: { kind: 'text', on: RUNNER, doc: '`stdin`: the token is read from standard input' },
  BRIDLE_RUNNER_APPROVALS: { kind: 'text', flag: '--approvals MODE', on: RUNNER, default: '`deny`', doc: '`deny`, `allow`, or `read-only`, for callers that cannot answer approvals' },
  BRIDLE_RUNNER_MODELS: { kind: 'text', on: RUNNER, default: 'any', doc: "models that runs can use with the runner's own keys: names or patterns such as `claude-haiku-*`, separated by commas" },
  BRIDLE_RUNNER_MAX_SPEND_USD: { kind: 'text', on: RUNNER, default: 'none', doc: "maximum cost of one run with the runner's own keys, in US dollars by list prices" },
  BRIDLE_RUNNER_WORK: { kind: 'text', flag: '--work FOLDER', on: RUNNER, default: 'the current folder', doc: 'folder in which engines work' },
  BRIDLE_RUNNER_STATE: { kind: 'text', flag: '--state FOLDER', on: RUNNER, default: '`.bridle/runner`', doc: 'folder in which engines keep their transcripts' },
  BRIDLE_RUNNER_IDLE_MS: { kind: 'text', on: RUNNER, default: 'never', doc: 'time without a run after which the runner exits' },
  '--url': { kind: 'text', flag: '--url URL', env: ['BRIDLE_URL'], on: CLI, default: 'the server of the data folder', doc: 'server to call; if you name one and it does not answer, the command fails' },
  '--tenant': { kind: 'text', flag: '--tenant ID', on: CLI, default: 'none', doc: 'tenant of the sessions' },
  NO_COLOR: { kind: 'text', on: CLI, doc: 'if set, output has no color' },
  VISUAL: { kind: 'text', env: ['VISUAL', 'EDITOR'], on: CLI, default: 'a line of the terminal', doc: 'editor for the arguments of an approval' },
} as const satisfies SettingRows

export type SettingName = keyof typeof settings
export const settingRows: readonly (readonly [name: string, row: Setting])[] = Object.entries(settings)

const isVariable = (name: string): boolean => /^[A-Z_]+$/.test(name)

export const variablesOf = ([name, { env }]: readonly [string, Setting]): readonly string[] =>
  env ?? (isVariable(name) ? [name] : [])

export const optionsOn = (target: SettingTarget): OptionParts =>
  Object.fromEntries(settingRows.filter(([name, { on }]) => on.includes(target) && !isVariable(name)))
