// Native agents that play the scripts of the simulation. Everything that they do outside of their session is an effect that
// outlives the process.
import { agent } from '@bridle/agents/agent'
import { nativeRunner } from '@bridle/agents/in-process/native'
import type { AgentSession } from '@bridle/agents/session'
import { ToolDenied } from '@bridle/agents/session/errors'
import type { Key } from '@bridle/kernel/event'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { Runner } from '@bridle/kernel/ports/runner'
import type { NativeEffects } from './native-effects.ts'
import { thinkerAgent } from './native-model.ts'
import { pause, type SimulatedProcess } from './process.ts'
import { parsePrompt, type ScriptStep } from './scripts.ts'

export const nativeRunners = (
  process: SimulatedProcess,
  effects: NativeEffects,
  digest: Digest,
  durable: boolean,
): { readonly [agent: string]: Runner } => {
  const ports = { clock: process.clock, digest, random: () => process.random.next() }
  return {
    worker: nativeRunner(workerAgent(process, effects, durable), ports),
    thinker: nativeRunner(thinkerAgent(process, effects), ports),
  }
}

/** A durable function. */
const workerAgent = (process: SimulatedProcess, effects: NativeEffects, durable: boolean) =>
  agent({
    name: 'worker',
    durable,
    run: async ({ input, session }) => {
      const key: Key = { tenant: 't', agent: 'worker', id: session.id }
      for (const [index, step] of parsePrompt(String(input.prompt)).entries())
        await takeStep({ process, effects, session, key }, step, index)
    },
  })

interface WorkerContext {
  readonly process: SimulatedProcess
  readonly effects: NativeEffects
  readonly session: AgentSession
  readonly key: Key
}

const takeStep = async (context: WorkerContext, step: ScriptStep, index: number): Promise<void> => {
  const { process, effects, session, key } = context
  if ('text' in step) {
    for (const [at, piece] of piecesOf(step).entries()) {
      if (at > 0) await pause(process, step.everyMs ?? 0)
      await session.text(piece)
    }
  } else if ('thinking' in step) await session.thinking(step.thinking)
  else if ('checkpoint' in step) {
    const name = `step-${index}`
    await session.step(name, async ({ stepKey }) => {
      await process.outside(async () => effects.step(process, key, stepKey, name))
      return step.checkpoint
    })
    await session.checkpoint(step.checkpoint)
  } else if ('artifact' in step) await session.artifact(step.artifact.name, step.artifact.content)
  else if ('usage' in step) {
    const { input_tokens, output_tokens, cost_usd } = step.usage
    await session.usage({ inputTokens: input_tokens, outputTokens: output_tokens, costUsd: cost_usd })
  } else if ('sleepMs' in step) await session.sleep(`sleep-${index}`, step.sleepMs)
  else if ('tool' in step) {
    const { tool, args, id, effect, ms, result } = step
    await session
      .tool(
        tool,
        args,
        async (_args, { stepKey }) => {
          await process.outside(async () => effects.call(process, key, stepKey, effect))
          await pause(process, ms)
          return result
        },
        { id, effect },
      )
      .catch(ignoreDenial)
  } else if ('approve' in step) {
    const { approve, id, args, expiresMs } = step
    await session
      .tool(
        approve,
        args,
        (approved, { stepKey }) =>
          process.outside(async () => {
            effects.call(process, key, stepKey, 'unsafe')
            return approved
          }),
        { id, approve: { reason: 'the script asks', ...(expiresMs !== undefined && { expiresMs }) } },
      )
      .catch(ignoreDenial)
  } else throw Object.assign(new Error(step.fail), { transient: step.transient })
}

const ignoreDenial = (error: unknown): void => {
  if (!(error instanceof ToolDenied)) throw error
}

const piecesOf = ({ text, chunks = 1 }: Extract<ScriptStep, { text: string }>): string[] => {
  const characters = [...text]
  const size = Math.max(1, Math.ceil(characters.length / chunks))
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  )
}
