import { scriptedRunner } from '@bridle/agents/in-process/scripted'
import type { AgentFailure } from '@bridle/agents/run-ports'
import { shortErrorMessage } from '@bridle/agents/session/error-message'
import { present } from '@bridle/events/json'
import { keyText } from '@bridle/kernel/event'
import { hostChildSessions } from '@bridle/kernel/host/child-sessions'
import type { Host } from '@bridle/kernel/host/host'
import type { StoredUploads } from '@bridle/stores/uploads/stored-uploads'
import { clock, digest } from '@bridle/system/system-ports'
import type { Lines } from '@bridle/voice/lines'
import { createEngineAgents, type EngineAgentsOptions } from '../agents/engines.ts'
import { scriptedAgent } from '../agents/scripted.ts'
import { loadServerAgents } from '../agents/server-agents.ts'
import type { Logger } from './logger.ts'
import type { OpenTelemetryApi } from './open-telemetry.ts'
import { createRunTracer } from './run-tracer.ts'
import type { ServerOptions } from './server-options.ts'

interface AgentSetup
  extends Pick<EngineAgentsOptions, 'data' | 'folders' | 'env' | 'isOpen' | 'loginRefusal' | 'onInPlace'> {
  readonly uploads: StoredUploads
  readonly host: () => Host
  readonly voiceModel: Lines['modelFor']
  readonly log: Logger
  readonly telemetry: OpenTelemetryApi | null
}

/** Closes the engines again if loading fails. */
export const loadAgents = async (
  options: ServerOptions,
  { host, voiceModel, log, telemetry, ...setup }: AgentSetup,
) => {
  const { env, uploads } = setup
  const settings = present({ sandbox: options.sandbox, engines: options.engines })
  const projectRoot = options.agentsRoot || '.'
  const onFailure = options.onAgentFailure ?? ((failure: AgentFailure) => logFailure(log, failure))
  const engines = await createEngineAgents({ ...setup, clock, digest, projectRoot, onFailure, ...settings })
  const builtIn = [[scriptedAgent, scriptedRunner({ clock, digest })] as const, ...engines.agents]
  try {
    const served = await loadServerAgents(
      options,
      builtIn,
      {
        ...{ clock, digest, uploads, children: hostChildSessions(host), voiceModel, env },
        serveEngineAgent: engines.serve,
        ...(telemetry && { trace: createRunTracer(telemetry) }),
        onFailure,
      },
      (line) => log('warn', line),
    )
    return { engines, served }
  } catch (error) {
    await engines.close()
    throw error
  }
}

/** Stacks are only for the operator. A tool error is just a warning, because the model sees it and may recover. */
const logFailure = (log: Logger, { key, runId, attempt, error, tool }: AgentFailure): void =>
  log(tool === null ? 'error' : 'warn', tool === null ? 'the agent threw' : 'a tool threw', {
    ...{ session: keyText(key), run: runId, attempt, ...(tool !== null && { tool }) },
    ...{ error: shortErrorMessage(error), stack: error instanceof Error ? error.stack : undefined },
  })
