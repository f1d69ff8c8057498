// The session's side of the RunnerProtocol: a runner in a sandbox plays the run, over HTTP. Each report is committed with the
// number of its frame, so that a broken stream or a restarted server continues behind the last committed frame.

import { bridgeIdentity } from '@bridle/agents/in-process/engine-identities'
import { servedCallProblem } from '@bridle/agents/served/edited-arguments'
import type { GivenAnswer } from '@bridle/events/answers'
import type { JsonObject } from '@bridle/events/json'
import type { ApprovalDecision } from '@bridle/events/schemas'
import type { Key } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { ApprovalAnswer, Job, RunEnd, Runner } from '@bridle/kernel/ports/runner'
import { givenAnswer } from '@bridle/kernel/question-request'
import { chosenEffortProblem, chosenModelProblem, effectiveSettings } from '../credentials/effective-settings.ts'
import type { ProviderName } from '../credentials/providers.ts'
import { effortChoiceProblem } from '../engines/models.ts'
import { promptWithFiles, type UploadReader } from '../files/sent-files.ts'
import type { EngineSettings, RepositoryUse, RunEnvVars, RunMcpServer } from '../protocol/protocol.ts'
import { RunnerRedirect } from './bounded-response.ts'
import type { LivenessRules } from './liveness-monitor.ts'
import { OwnTools } from './own-tools.ts'
import type { Sandbox, SandboxProvider } from './provider.ts'
import { RemoteRun } from './remote-run.ts'
import { newRunHandle, runBearers, runPath } from './run-handle.ts'
import {
  fileSender,
  type RunnerClient,
  RunnerUnreachableError,
  runnerClient,
  runnerRefusalText,
} from './runner-client.ts'
import { SandboxQueue, type WaitLimits } from './sandbox-queue.ts'

/** A runner of sessions whose engine works in a sandbox. */
export const remoteRunner = (given: RemoteRunnerOptions): Runner => {
  const queue = given.queue ?? new SandboxQueue(given.clock, given.queueLimits)
  const options = { ...given, queue }
  const { provider, credentials, clock, digest, settings = {} } = options
  const ownTools = options.ownTools ?? new OwnTools({ tools: [], clock, digest, settings })

  const find = async ({ handle }: Job): Promise<Sandbox | null> => {
    const { sandbox } = (handle ?? {}) as { sandbox?: unknown }
    return typeof sandbox === 'string' ? provider.find(sandbox) : null
  }
  const reach = async (job: Job): Promise<{ sandbox: Sandbox; runs: RunnerClient } | null> => {
    const sandbox = await find(job)
    return sandbox && { sandbox, runs: runnerClient(sandbox, await runBearers(options.runToken, job, sandbox)) }
  }

  return {
    identity: bridgeIdentity(options.engine),
    start: async (job, reporter) => {
      // Every prompt comes here, also one that was queued before the operator changed the list.
      const problem =
        chosenModelProblem(options.settings ?? {}, job, options.modelProblem ?? (() => null)) ??
        chosenEffortProblem(job, effortChoiceProblem(options.efforts))
      if (problem !== null) throw new ModelRefusedError(problem)
      const place = {
        name: 'place',
        isReported: job.awaitsSandbox ?? false,
        ownsSandbox: () => provider.has?.(job.key) ?? false,
      }
      const sandbox = await queue.wait(reporter, place, () =>
        provider.acquire(job.key, job.parent, async () => credentials.grantAtStart?.(job) ?? {}),
      )
      const { requestedBackend, resolvedBackend, isolation, reason } = sandbox.notice
      const notice = {
        requested_backend: requestedBackend,
        resolved_backend: resolvedBackend,
        isolation,
        ...(reason !== undefined && { reason }),
      }
      const handle = newRunHandle(sandbox)
      const run = new RemoteRun(options, { ...job, handle }, sandbox, ownTools.open(job, reporter, false))
      // Log the request's id before the query: after a crash the next process asks for the same run, not for a second one.
      const runtime = runtimeOf(options, job)
      const started = reporter.report([{ type: 'started', handle, steer: true, sandbox: notice, ...runtime }])
      return withRevocation(options, job, async () => {
        const [env] = await Promise.all([run.provideCredentials(), started])
        return run.start(env)
      })
    },

    attach: async (job, reporter) => {
      const own = ownTools.open(job, reporter, true)
      const sandbox = await find(job)
      if (!sandbox) return withRevocation(options, job, async () => 'lost')
      // Only the log shows whether a frame of the engine is about a call of the server.
      if ((await own.calls.loaded.catch(() => 'unread')) === 'unread') return 'cut'
      const run = new RemoteRun(options, job, sandbox, own)
      return withRevocation(options, job, async () => {
        const env = await run.renewCredentials().catch((error) => {
          if (error instanceof RunnerRedirect) throw error
          // A runner that does not answer now may answer later.
          return null
        })
        return env === null ? 'cut' : run.resume(env)
      })
    },

    abort: async (job) => {
      const found = await reach(job)
      credentials.revoke(job)
      if (!found) return null
      try {
        const { status, body } = await found.runs.post(`${runPath(job)}/cancel`, { epoch: job.epoch })
        if (status === 404 || status === 410) return null
        if (status !== 200 || body.stopped === false) throw new Error(runnerRefusalText(status, body))
        return body.resume ?? null
      } catch (error) {
        // A runner that does not answer cannot be told to stop: end its sandbox.
        if (!(error instanceof RunnerUnreachableError)) throw error
        await provider.stop(found.sandbox)
        return null
      }
    },

    answer: async (job, answer) => {
      if (await ownTools.takeAnswer(job, answer)) return
      const found = await reach(job)
      if (!found) throw new Error('The sandbox is gone.')
      const path = `${runPath(job)}/approvals/${encodeURIComponent(answer.toolCallId)}`
      const { status, body } = await found.runs.post(path, approvalAnswerBody(answer, job.epoch))
      if (status !== 200) throw new Error(runnerRefusalText(status, body))
    },

    steer: async (job, { messageId, text: prompt, input }) => {
      const found = await reach(job)
      if (!found) throw new Error('The sandbox is gone.')
      const { uploads } = options
      const text = await promptWithFiles(prompt, input, {
        ...(uploads && { uploads }),
        tenant: job.key.tenant,
        // Files are the runner's and not the run's, and so is their bearer.
        send: fileSender(runnerClient(found.sandbox, [found.sandbox.token])),
      })
      const { status, body } = await found.runs.post(`${runPath(job)}/steer`, { id: messageId, text, epoch: job.epoch })
      if (status !== 200) throw new Error(runnerRefusalText(status, body))
    },

    // The sandbox keeps running without this process.
    outlivesProcess: () => true,
    stopTask: async (job, taskId) => {
      const found = await reach(job)
      if (!found) return false
      const { status, body } = await found.runs.post(`${runPath(job)}/stop-task`, { taskId, epoch: job.epoch })
      // An older runner has no such route, and cannot stop a single task.
      return status === 200 && body.stopped === true
    },

    checkArguments: (call) => servedCallProblem(ownTools.tools, call, clock),
    forget: (key: Key) => provider.forget(key),
  }
}

class ModelRefusedError extends Error {
  override readonly name = 'ModelRefusedError'
}

/** Revokes the keys when the run ends, however it ends. A run that may continue keeps them. */
const withRevocation = async (options: RemoteRunnerOptions, job: Job, play: () => Promise<RunEnd>): Promise<RunEnd> => {
  let end: RunEnd = 'lost'
  try {
    end = await play()
    return end
  } finally {
    if (end !== 'cut') options.credentials.revoke(job)
  }
}

/** The provider and, where somebody chose one, the model: known before the engine reports anything. */
const runtimeOf = (
  { modelProvider, settings }: RemoteRunnerOptions,
  job: Job,
): { provider?: string; model?: string } => {
  const { model } = effectiveSettings(settings ?? {}, job)
  return { ...(modelProvider && { provider: modelProvider }), ...(typeof model === 'string' && { model }) }
}

const approvalAnswerBody = (answer: ApprovalAnswer, epoch: number): JsonObject => {
  const { decision, kind, arguments: input, approvedDigest, requestId: answerId } = answer
  const answered = kind === 'question' ? givenAnswer(input as GivenAnswer) : null
  return {
    decision: decision === 'approved' ? 'approved' : 'denied',
    ...((answered as JsonObject | null) ?? { input }),
    approvedDigest,
    ...(answer.isRefused && { refused: true }),
    reason: kind === 'question' ? declineReason(answer) : (answer.reason ?? denialReason(decision)),
    answerId,
    epoch,
  }
}

const denialReason = (decision: ApprovalDecision): string | null =>
  decision === 'approved' ? null : `The approval was ${decision}.`

const declineReason = ({ decision, reason, isRefused }: ApprovalAnswer): string | null => {
  if (decision === 'approved') return null
  if (isRefused) return `The question was not asked. ${reason}`
  if (decision === 'expired') return 'The user did not answer in time.'
  return reason === null ? 'The user declined to answer.' : `The user declined to answer: ${reason}`
}

/** Settings of `remoteRunner`. */
export interface RemoteRunnerOptions {
  /** The engine that the sandbox runs. */
  readonly engine: string
  /** The provider of the engine's models, for the status card. */
  readonly modelProvider?: ProviderName
  /** The source of sandboxes. */
  readonly provider: SandboxProvider
  /** The clock. */
  readonly clock: Clock
  /** The operator's own tools, whose calls this process makes. Absent: there are none. */
  readonly ownTools?: OwnTools
  /** The hash function that approved arguments are compared by. */
  readonly digest: Digest
  /** The operator's settings of the engine, which a session may narrow. */
  readonly settings?: EngineSettings
  /** Whether the engine is given the texts of the repository in the work folder. Default `instructions`. */
  readonly repository?: RepositoryUse
  /** The MCP servers of each run. The address and token for those behind the relay come from `credentials`. */
  readonly mcp?: readonly RunMcpServer[]
  /** The reason why runs may not use a model that a caller chose, as a sentence; null = they may. Absent: any model. */
  readonly modelProblem?: (model: string) => string | null
  /** The efforts that the engine knows; absent: it takes any. */
  readonly efforts?: readonly string[]
  /** The engine adds this to its own system prompt, in every turn. */
  readonly instructions?: string
  /** The bearer token of one run, derived from run and attempt, so that the next process knows it too. */
  readonly runToken: (job: Job) => Promise<string | null>
  /** The keys with which the sandbox reaches its model until the run ends. */
  readonly credentials: RunCredentials
  /** When a silent stream counts as broken. */
  readonly liveness?: LivenessRules
  /** Where the files of prompts are read. Absent: the engine learns only that they came. */
  readonly uploads?: UploadReader
  /** How a run waits for a free sandbox. */
  readonly queueLimits?: WaitLimits
  /** Shared by runners whose runs wait in one row; absent: the runs of this one wait by themselves. */
  readonly queue?: SandboxQueue
}

export interface RunCredentials {
  grant(job: Job): Promise<RunEnvVars>
  /** The variables of a sandbox that is started for the job and may stay for later runs. Absent: it starts with none. */
  grantAtStart?(job: Job): Promise<RunEnvVars>
  revoke(job: Job): void
}
