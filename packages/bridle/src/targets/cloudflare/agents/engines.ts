// The agents `claude` and `codex` on Cloudflare: engines behind a runner that is reached by its URL.

import { type AgentInfo, acceptPrompt } from '../../../kernel/agent-info.ts'
import { keyText } from '../../../kernel/event.ts'
import type { Runner } from '../../../kernel/ports/runner.ts'
import type { ProviderName } from '../../../runners/credentials/providers.ts'
import { bridgeIdentity } from '../../../runners/engine-identities.ts'
import { claudeInfo } from '../../../runners/engines/claude/capabilities.ts'
import { codexInfo } from '../../../runners/engines/codex/capabilities.ts'
import { remoteRunner } from '../../../runners/remote/remote-runner.ts'
import type { SandboxProvider } from '../../../runners/sandboxes/provider.ts'
import { urlSandbox } from '../../../runners/sandboxes/url-sandbox.ts'
import { runClock } from '../alarms/object-clock.ts'
import { type CredentialPorts, runCredentials } from '../credentials/credential-proxy.ts'
import { deriveToken } from '../credentials/sealing.ts'
import type { SigningSecret } from '../credentials/signing-secret.ts'
import { digest } from '../digest.ts'
import type { HarnessEnv, HarnessOptions } from '../options.ts'
import { containerSandboxes } from './containers.ts'

export interface EnginePorts {
  readonly provider: SandboxProvider
  readonly credentials: CredentialPorts
}

/** Whose key each engine wants. */
const PROVIDERS: { readonly [engine: string]: ProviderName } = { claude: 'anthropic', codex: 'openai' }

/** The runner has its own engines, and says itself which they are. */
const VERSION = 'of the runner'

export const engineInfos = (env: HarnessEnv): readonly AgentInfo[] => {
  const isThere = env.BRIDLE_RUNNER_URL || env.HARNESS_SANDBOX
  const needs = isThere ? null : 'Bind a container as HARNESS_SANDBOX, or set BRIDLE_RUNNER_URL to a runner.'
  const common = { webhook: false, needs, accept: acceptPrompt }
  return [
    {
      ...common,
      name: 'claude',
      description: 'Claude Code, in a sandbox.',
      ...bridgeIdentity('claude'),
      capabilities: claudeInfo(VERSION),
    },
    {
      ...common,
      name: 'codex',
      description: 'Codex, in a sandbox.',
      ...bridgeIdentity('codex'),
      capabilities: codexInfo(VERSION),
    },
  ]
}

export const engineRunner = (
  engine: string,
  options: HarnessOptions,
  { provider, credentials }: EnginePorts,
): Runner => {
  const { models: _, ...settings } = options.engines?.[engine] ?? {}
  return remoteRunner({
    engine,
    provider,
    clock: runClock,
    digest,
    settings,
    runToken: async ({ key, runId, attempt }) =>
      deriveToken(await credentials.secret(), 'run', keyText(key), runId, attempt),
    credentials: runCredentials(credentials, PROVIDERS[engine] ?? 'anthropic', settings),
  })
}

/** A URL takes the place of containers: that is how it is developed. Without either it refuses with a sentence to act on. */
export const createSandboxProvider = (env: HarnessEnv, secret: SigningSecret): SandboxProvider => {
  const { BRIDLE_RUNNER_URL: url, BRIDLE_RUNNER_TOKEN: token, HARNESS_SANDBOX: containers } = env
  if (url) return urlSandbox({ url, token: token || null })
  if (containers)
    return containerSandboxes({
      containers,
      token: async (key) => deriveToken(await secret(), 'sandbox', keyText(key)),
    })
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
