// The settings of a Worker: options in its code, variables and bindings in its environment.
import type { AgentDefinition } from '@bridle/agents/agent'
import type { ProviderEnv } from '@bridle/runners/credentials/providers'
import type { EngineConfigs } from '@bridle/runners/engines/description'
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

/** Objects of one directory: a list asks all of them. */
const SHARDS_MAX = 64

/** Settings of a Worker. Every one has a default. */
export interface HarnessOptions extends Omit<AccessOptions, 'authTokenEnv'> {
  /** Agents to serve, beside the built-in ones. */
  readonly agents?: readonly AgentDefinition[]
  /** Agents whose files could not be built, with the reason: a run of one is refused with it. `bridle dev` fills it in. */
  readonly brokenAgents?: readonly { readonly name: string; readonly problem: string }[]
  /** Providers of models by name, for agents whose model is `provider/model-id`: `{ anthropic }` of `@ai-sdk/anthropic`. */
  readonly models?: ModelProviders
  /** Agents that are open in production without a trigger; BRIDLE_EXPOSE names more. */
  readonly expose?: readonly string[]
  /** False = clients of a voice line may not add instructions to those of its agent. BRIDLE_VOICE_INSTRUCTIONS=0 forbids them, too. */
  readonly voiceInstructions?: boolean
  /** The engine that OpenHarness shells ask: how long it waits, what it keeps of a restricted state, and from where it fetches files. */
  readonly openharness?: OpenHarnessOptions
  /** Each isolate of the gateway counts for itself. */
  readonly rateLimit?: RateLimit
  /** Default 8 MiB. */
  readonly maxBodyBytes?: number
  /** At most one token event per this many ms; 0 = every token. */
  readonly tokenPaceMs?: number
  /** An event stream ends after this long, and its reader resumes by id. Default: never. */
  readonly streamMs?: number
  /** How often the alarm rings while a run is wanted; a run that is not active then is started again. Default 30 seconds. */
  readonly watchdogMs?: number
  /** A socket that pinged and is silent for this long is closed with the next event of its object. Default 5 minutes. */
  readonly deadAfterMs?: number
  /**
   * How often each Fabric socket gets a `pong`, also while its object sleeps; sockets that are silent for `deadAfterMs` (default: three of
   * these) are closed. 0 = never. Each heartbeat wakes the object, which then costs compute while a client watches. Default:
   * every 15 seconds while a run is at work. BRIDLE_HEARTBEAT_MS is the same.
   */
  readonly heartbeatMs?: number
  /** How each engine is set up: model, permission_mode, max_budget_usd, max_turns. */
  readonly engines?: EngineConfigs
}

/** Throws at an unknown option, with the nearest name, and at a value of a wrong kind. The deployment then fails. */
export const checkOptions = (options: HarnessOptions): void => {
  const problem = optionProblem(options, optionsOn('cloudflare'))
  if (problem !== null) throw new ServerFault('option_invalid', `harness: ${problem}`)
}

/** The keys and base URLs of providers stay here: a run gets a token and an address of the gateway in their place. */
export interface HarnessEnv extends ProviderEnv, CascadeEnv {
  /** The objects of sessions. */
  readonly HARNESS_SESSION: ObjectNamespace
  /** The objects of the index, and of uploaded files. */
  readonly HARNESS_DIRECTORY: ObjectNamespace<DirectoryStub & UploadStub & ChangesStub & ObjectStub>
  /** An R2 bucket for large artifacts and uploaded files. */
  readonly HARNESS_ARTIFACTS?: ObjectBucket
  /** The files of a web app, served where no route matches. */
  readonly ASSETS?: ObjectStub
  /** The token that callers need. */
  readonly FABRIC_HARNESS_API_TOKEN?: string
  /** 1 = every request has to name its tenant. */
  readonly FABRIC_HARNESS_TENANT_REQUIRED?: string
  /** `production` closes agents without a trigger. */
  readonly FABRIC_MODE?: string
  /** The same as FABRIC_MODE, where that is not set. */
  readonly FABRIC_ENV?: string
  /** The same as FABRIC_MODE, where neither is set. */
  readonly NODE_ENV?: string
  /** 1 = no token is needed, from anywhere. */
  readonly BRIDLE_OPEN?: string
  /** Objects of a tenant's directory; default 1. */
  readonly BRIDLE_DIRECTORY_SHARDS?: string
  /** Earlier values of BRIDLE_DIRECTORY_SHARDS, with commas: the new objects take over from all of them. */
  readonly BRIDLE_DIRECTORY_SHARDS_BEFORE?: string
  /** Comma-separated. */
  readonly BRIDLE_ALLOWED_ORIGINS?: string
  /** The agent that `/ws` talks to; default: the first that is open. */
  readonly BRIDLE_AGENT?: string
  /** The model of the agent `assistant`, as `provider/model-id`; several with commas, each asked where the one before it fails. */
  readonly BRIDLE_MODEL?: string
  /** The address behind models named `openai-compatible/…`, up to `/chat/completions`. */
  readonly BRIDLE_MODEL_URL?: string
  /** The key for BRIDLE_MODEL_URL, where it needs one. */
  readonly BRIDLE_MODEL_KEY?: string
  /** Agents that are open in production without a trigger, comma-separated. */
  readonly BRIDLE_EXPOSE?: string
  /** The same as the option `heartbeatMs`, where that is not set. */
  readonly BRIDLE_HEARTBEAT_MS?: string
  /** 0 = clients of a voice line may not add instructions to those of its agent. */
  readonly BRIDLE_VOICE_INSTRUCTIONS?: string
  /** The secret behind tickets and the tokens of runs, at least 32 characters; default: one object makes and keeps one. */
  readonly BRIDLE_SECRET?: string
  /** How a sandbox reaches the gateway; default: as the last caller did. */
  readonly BRIDLE_PUBLIC_URL?: string
  /** A class that extends the platform's `Container`, with our runner in its image. */
  readonly HARNESS_SANDBOX?: ObjectNamespace<ContainerStub>
  /** A runner that runs somewhere else, and its token. */
  readonly BRIDLE_RUNNER_URL?: string
  /** The token of the runner at BRIDLE_RUNNER_URL. */
  readonly BRIDLE_RUNNER_TOKEN?: string
}

/** The options; where they say nothing, the environment. */
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

/** Undefined = heartbeats come while a run is at work. */
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
