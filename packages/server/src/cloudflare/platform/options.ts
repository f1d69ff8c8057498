import type { AgentDefinition } from '@bridle/agents/agent'
import type { ProviderEnv } from '@bridle/runners/credentials/providers'
import type { EngineConfigs } from '@bridle/runners/engines/description'
import { mcpServersProblem } from '@bridle/runners/mcp/declaration'
import type { ChangesStub } from '@bridle/stores/object/change-watchers'
import type { ObjectBucket, ObjectNamespace, ObjectStub } from '@bridle/stores/object/platform-types'
import type { DirectoryStub } from '@bridle/stores/object/remote-directory'
import type { ShardCounts } from '@bridle/stores/object/shards'
import type { UploadPlatform, UploadStub } from '@bridle/stores/uploads/remote-uploads'
import type { AccessOptions } from '@bridle/surfaces/http/access/authenticate'
import type { RateLimit } from '@bridle/surfaces/http/access/rate-limit'
import type { OpenHarnessOptions } from '@bridle/surfaces/http/router/openharness-options'
import { ServerFault } from '@bridle/system/server-fault'
import type { CascadeEnv } from '@bridle/voice/cascade/settings'
import type { ModelProviders } from '../../models/model-source.ts'
import { optionProblem } from '../../option-problem.ts'
import { optionsOn } from '../../settings.ts'
import type { ContainerStub } from '../agents/containers.ts'

/** Every list asks all of them. */
const SHARDS_MAX = 64

/** Settings of a Worker. All are optional. */
export interface HarnessOptions extends Omit<AccessOptions, 'authTokenEnv'> {
  /** Agents to serve besides the built-in ones. */
  readonly agents?: readonly AgentDefinition[]
  /** Agents whose files failed to build, with the reason to refuse their runs. Set by `bridle dev`. */
  readonly brokenAgents?: readonly { readonly name: string; readonly problem: string }[]
  /** Model providers by name, for models named `provider/model-id`: `{ anthropic }` of `@ai-sdk/anthropic`. */
  readonly models?: ModelProviders
  /** Agents open in production without a trigger, in addition to BRIDLE_EXPOSE. */
  readonly expose?: readonly string[]
  /** False: voice clients must not add instructions to their agent's. BRIDLE_VOICE_INSTRUCTIONS=0 does the same. */
  readonly voiceInstructions?: boolean
  /** OpenHarness engine: how long it waits, what it keeps of a restricted state, and where it may fetch files from. */
  readonly openharness?: OpenHarnessOptions
  /** Counted per isolate of the gateway. */
  readonly rateLimit?: RateLimit
  /** Default: 8 MiB. */
  readonly maxBodyBytes?: number
  /** Minimum milliseconds between token events; 0 sends every token. */
  readonly tokenPaceMs?: number
  /** Maximum duration of an event stream; readers then resume by id. Default: unlimited. */
  readonly streamMs?: number
  /** How often the alarm rings while a run is wanted; it restarts an inactive run. Default: 30 seconds. */
  readonly watchdogMs?: number
  /** A socket that has pinged and then stays silent this long is closed on the next event of its object. Default: 5 minutes. */
  readonly deadAfterMs?: number
  /**
   * Interval of `pong` messages to Fabric sockets; sockets silent for `deadAfterMs` (default: three intervals) are closed. 0:
   * never. Heartbeats also wake hibernating objects, which costs compute. Default: 15 seconds, but only while a run is active.
   * Same as BRIDLE_HEARTBEAT_MS.
   */
  readonly heartbeatMs?: number
  /** Per engine: model, effort, instructions, permission_mode and others. */
  readonly engines?: EngineConfigs
}

/** Throws on unknown options, suggesting the nearest name, and on invalid values. The deployment then fails. */
export const checkOptions = (options: HarnessOptions): void => {
  const problem = optionProblem(options, optionsOn('cloudflare'))
  if (problem !== null) throw new ServerFault('option_invalid', `harness: ${problem}`)
  for (const [name, { mcp }] of Object.entries(options.engines ?? {})) {
    const mcpProblem = mcpServersProblem(mcp)
    if (mcpProblem !== null) throw new ServerFault('option_invalid', `harness: engines.${name}: ${mcpProblem}`)
  }
}

/** Provider keys and base URLs stay here; runs get a token and an address of the gateway instead. */
export interface HarnessEnv extends ProviderEnv, CascadeEnv {
  /** Session objects. */
  readonly HARNESS_SESSION: ObjectNamespace
  /** Directory objects, which also store uploads. */
  readonly HARNESS_DIRECTORY: ObjectNamespace<DirectoryStub & UploadStub & ChangesStub & ObjectStub>
  /** R2 bucket for large artifacts and uploads. */
  readonly HARNESS_ARTIFACTS?: ObjectBucket
  /** Static files of a web app, served if no route matches. */
  readonly ASSETS?: ObjectStub
  /** Token required from callers. */
  readonly FABRIC_HARNESS_API_TOKEN?: string
  /** `1`: every request must name its tenant. */
  readonly FABRIC_HARNESS_TENANT_REQUIRED?: string
  /** `production` closes agents without a trigger. */
  readonly FABRIC_MODE?: string
  /** Fallback for FABRIC_MODE. */
  readonly FABRIC_ENV?: string
  /** Fallback for FABRIC_MODE and FABRIC_ENV. */
  readonly NODE_ENV?: string
  /** `1`: no token is required, from anywhere. */
  readonly BRIDLE_OPEN?: string
  /** Directory objects per tenant. Default: 1. */
  readonly BRIDLE_DIRECTORY_SHARDS?: string
  /** Earlier values of BRIDLE_DIRECTORY_SHARDS, comma-separated. The new objects adopt the rows of all of them. */
  readonly BRIDLE_DIRECTORY_SHARDS_BEFORE?: string
  /** Comma-separated. */
  readonly BRIDLE_ALLOWED_ORIGINS?: string
  /** Agent served on `/ws`. Default: the first open one. */
  readonly BRIDLE_AGENT?: string
  /** Model of the agent `assistant`, as `provider/model-id`. A comma-separated list falls back in order. */
  readonly BRIDLE_MODEL?: string
  /** Base URL for models named `openai-compatible/…`, without `/chat/completions`. */
  readonly BRIDLE_MODEL_URL?: string
  /** Key for BRIDLE_MODEL_URL, if it needs one. */
  readonly BRIDLE_MODEL_KEY?: string
  /** Agents open in production without a trigger, comma-separated. */
  readonly BRIDLE_EXPOSE?: string
  /** Default for the option `heartbeatMs`. */
  readonly BRIDLE_HEARTBEAT_MS?: string
  /** `0`: voice clients must not add instructions to their agent's. */
  readonly BRIDLE_VOICE_INSTRUCTIONS?: string
  /** Secret behind tickets and run tokens, at least 32 characters. Default: generated and stored by an object. */
  readonly BRIDLE_SECRET?: string
  /** URL at which sandboxes reach the gateway. Default: the one used by the last caller. */
  readonly BRIDLE_PUBLIC_URL?: string
  /** A class that extends the platform's `Container`, with Bridle's runner in its image. */
  readonly HARNESS_SANDBOX?: ObjectNamespace<ContainerStub>
  /** URL of a runner outside of Cloudflare. */
  readonly BRIDLE_RUNNER_URL?: string
  /** Token of the runner at BRIDLE_RUNNER_URL. */
  readonly BRIDLE_RUNNER_TOKEN?: string
}

export const accessOptions = (options: HarnessOptions, env: HarnessEnv): AccessOptions => {
  const authToken = options.authToken ?? (env.FABRIC_HARNESS_API_TOKEN || undefined)
  const listed = env.BRIDLE_ALLOWED_ORIGINS?.split(',').map((origin) => origin.trim())
  const allowedOrigins = options.allowedOrigins ?? listed
  return {
    ...options,
    ...(authToken !== undefined && { authToken }),
    ...(allowedOrigins && { allowedOrigins }),
    ...(env.BRIDLE_OPEN === '1' && { extractAuthToken: () => true }),
    tenantRequired: options.tenantRequired ?? env.FABRIC_HARNESS_TENANT_REQUIRED === '1',
  }
}

export const uploadPlatform = (env: HarnessEnv): UploadPlatform => ({
  objects: env.HARNESS_DIRECTORY,
  bucket: env.HARNESS_ARTIFACTS ?? null,
})

/** Undefined: heartbeats only while a run is active. */
export const heartbeatMsFrom = ({ BRIDLE_HEARTBEAT_MS: setting }: HarnessEnv): number | undefined => {
  if (!setting) return undefined
  const ms = Number(setting)
  if (Number.isInteger(ms) && ms >= 0) return ms
  throw new Error('BRIDLE_HEARTBEAT_MS is a whole number of milliseconds; 0 turns heartbeats off.')
}

export const shardCountsFrom = (env: HarnessEnv): ShardCounts => ({
  count: shardCounts(env, 'BRIDLE_DIRECTORY_SHARDS')[0] ?? 1,
  previousCounts: shardCounts(env, 'BRIDLE_DIRECTORY_SHARDS_BEFORE'),
})

const shardCounts = (
  env: HarnessEnv,
  name: 'BRIDLE_DIRECTORY_SHARDS' | 'BRIDLE_DIRECTORY_SHARDS_BEFORE',
): readonly number[] => {
  const { [name]: setting } = env
  if (!setting) return []
  const counts = name === 'BRIDLE_DIRECTORY_SHARDS' ? [Number(setting)] : setting.split(',').map(Number)
  if (counts.every((count) => Number.isInteger(count) && count >= 1 && count <= SHARDS_MAX)) return counts
  throw new Error(`${name} is a whole number from 1 to ${SHARDS_MAX}.`)
}
