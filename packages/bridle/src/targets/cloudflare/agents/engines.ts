// The agents of the engines on Cloudflare: behind a runner that the Worker reaches at a URL or in a container.

import type { AgentInfo } from '../../../kernel/agent-info.ts'
import { keyText } from '../../../kernel/event.ts'
import type { Runner } from '../../../kernel/ports/runner.ts'
import type { Uploads } from '../../../kernel/ports/uploads.ts'
import { bridgeIdentity } from '../../../runners/engine-identities.ts'
import type { EngineDescription } from '../../../runners/engines/description.ts'
import { remoteRunner } from '../../../runners/remote/remote-runner.ts'
import type { SandboxProvider } from '../../../runners/sandboxes/provider.ts'
import { urlSandbox } from '../../../runners/sandboxes/url-sandbox.ts'
import { deriveToken } from '../../../surfaces/http/access/sealing.ts'
import { type EngineModels, engineInput, engineModelProblem, engineModels } from '../../agents/engine-input.ts'
import { runClock } from '../alarms/object-clock.ts'
import { type CredentialPorts, runCredentials } from '../credentials/credential-proxy.ts'
import type { SigningSecret } from '../credentials/signing-secret.ts'
import { digest } from '../digest.ts'
import type { HarnessEnv, HarnessOptions } from '../options.ts'
import { containerSandboxes } from './containers.ts'

export interface EnginePorts {
  readonly provider: SandboxProvider
  readonly credentials: CredentialPorts
  readonly uploads: Pick<Uploads, 'read'>
}

/** The engines are the runner's, and only the runner knows their versions. */
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
  const { models, ...settings } = options.engines?.[name] ?? {}
  return remoteRunner({
    engine: name,
    modelProvider,
    provider,
    clock: runClock,
    digest,
    uploads,
    settings,
    modelProblem: engineModelProblem(models),
    runToken: async ({ key, runId, attempt }) =>
      deriveToken(await credentials.secret(), 'run', keyText(key), runId, attempt),
    credentials: runCredentials(credentials, modelProvider, settings),
  })
}

/** A URL replaces containers, for development. Without either, a run is refused with what to set. */
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
