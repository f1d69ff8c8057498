import { bridgeIdentity } from '@bridle/agents/in-process/engine-identities'
import { present } from '@bridle/events/json'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import { keyText } from '@bridle/kernel/event'
import type { Runner } from '@bridle/kernel/ports/runner'
import type { Uploads } from '@bridle/kernel/ports/uploads'
import type { EngineDescription } from '@bridle/runners/engines/description'
import type { SandboxProvider } from '@bridle/runners/remote/provider'
import { remoteRunner } from '@bridle/runners/remote/remote-runner'
import { urlSandbox } from '@bridle/runners/sandboxes/url-sandbox'
import { deriveToken } from '@bridle/surfaces/http/access/sealing'
import { type EngineModels, engineInput, engineModelProblem, engineModels } from '../../agents/engine-input.ts'
import { runClock } from '../alarms/object-clock.ts'
import { type CredentialPorts, runCredentials } from '../credentials/credential-proxy.ts'
import type { SigningSecret } from '../credentials/signing-secret.ts'
import { digest } from '../platform/digest.ts'
import type { HarnessEnv, HarnessOptions } from '../platform/options.ts'
import { containerSandboxes } from './containers.ts'

export interface EnginePorts {
  readonly provider: SandboxProvider
  readonly credentials: CredentialPorts
  readonly uploads: Pick<Uploads, 'read'>
}

/** Only the runner knows the versions of its engines. */
const VERSION = 'of the runner'

export const engineInfo = (
  { name, title, info }: EngineDescription,
  env: HarnessEnv,
  { models, model }: EngineModels,
): AgentInfo => ({
  ...bridgeIdentity(name),
  name,
  description: `${title}, in a sandbox.`,
  webhook: false,
  needs:
    env.BRIDLE_RUNNER_URL || env.HARNESS_SANDBOX
      ? null
      : 'Bind a container as HARNESS_SANDBOX, or set BRIDLE_RUNNER_URL to a runner.',
  capabilities: info(VERSION),
  ...engineModels(model),
  ...engineInput(engineModelProblem(models)),
})

export const engineRunner = (
  { name, provider: modelProvider }: EngineDescription,
  options: HarnessOptions,
  { provider, credentials, uploads }: EnginePorts,
): Runner => {
  const { models, repository, ...settings } = options.engines?.[name] ?? {}
  return remoteRunner({
    engine: name,
    modelProvider,
    provider,
    clock: runClock,
    digest,
    uploads,
    settings,
    modelProblem: engineModelProblem(models),
    ...present({ repository }),
    runToken: async ({ key, runId, attempt }) =>
      deriveToken(await credentials.secret(), 'run', keyText(key), runId, attempt),
    credentials: runCredentials(credentials, modelProvider, settings),
  })
}

/** A URL overrides containers, for development. Without either, runs are refused with a hint. */
export const createSandboxProvider = (env: HarnessEnv, secret: SigningSecret): SandboxProvider => {
  const { BRIDLE_RUNNER_URL: url, BRIDLE_RUNNER_TOKEN: token, HARNESS_SANDBOX: containers } = env
  if (url) return urlSandbox({ url, token: token || null })
  if (containers)
    return containerSandboxes(containers, async (key) => deriveToken(await secret(), 'sandbox', keyText(key)))
  const missing = async (): Promise<never> => {
    throw new Error('There is no runner. Bind a container as HARNESS_SANDBOX, or set BRIDLE_RUNNER_URL.')
  }
  return {
    acquire: missing,
    find: async () => null,
    health: async () => null,
    setEnvVars: missing,
    stop: async () => {},
    forget: async () => {},
  }
}
