// A host that serves one model agent, and turns of it: the log counts its commits.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { nativeRunner } from '@bridle/agents/in-process/native'
import { tool } from '@bridle/agents/tools/tool'
import { isRefusal } from '@bridle/kernel/commands'
import { Host } from '@bridle/kernel/host/host'
import type { Log } from '@bridle/kernel/ports/log'
import { runOutcome } from '@bridle/kernel/session/run-outcome'
import type { OpenStore } from '@bridle/stores/open-store'
import { MANY_TOOLS, middleware, policy } from './agent-equipment.ts'
import {
  answerText,
  CPU_STEPS,
  type InstantModel,
  readPart,
  toolDescription,
  toolInputs,
  toolNames,
} from './agent-model.ts'
import { INSTRUCTIONS, PROMPT } from './rival-stream-text.ts'
import { clock, digest } from './world.ts'

export class AgentWorld {
  readonly host: Host
  readonly model: InstantModel
  commits = 0

  constructor(
    store: Pick<OpenStore, 'log' | 'directory'>,
    model: InstantModel,
    { asks = false, isEquipped = false } = {},
  ) {
    this.model = model
    const definition = agent({
      name: 'bench',
      model,
      instructions: INSTRUCTIONS,
      tools: [
        ...toolNames.map((name, index) =>
          tool({
            name,
            description: toolDescription,
            input: toolInputs[index]!,
            effect: 'pure',
            approve: asks,
            // All of the fifty are offered, as to the loops that are compared with this one.
            always: !isEquipped,
            run: readPart,
          }),
        ),
        ...(isEquipped ? otherTools : []),
      ],
      ...(isEquipped && { policy, use: middleware(model) }),
      limits: { steps: 1_000_000, calls: 1_000_000 },
    })
    const runner = nativeRunner(definition, { clock, digest })
    const log: Log = {
      ...store.log,
      append: (lease, request) => {
        this.commits += 1
        return store.log.append(lease, request)
      },
    }
    this.host = new Host({ log, directory: store.directory, clock, digest, runner: () => runner })
  }

  /** Runs one turn of so many steps. True where the answer is as the model gave it. */
  async turn(id: string, steps: number): Promise<boolean> {
    this.model.beginTurn(steps)
    const key = agentKey(id)
    const answer = await this.host.send(key, { type: 'submit', prompt: PROMPT })
    if (isRefusal(answer)) throw new Error(answer.message)
    const session = await this.host.open(key)
    await runOutcome(session, String(answer.runId), Number(answer.seq) - 1)
    return session.state.conversation.messages.at(-1)?.content === answerText && this.model.askedAt.length === steps
  }
}

/** Tools that the model does not call. */
const otherTools = Array.from({ length: MANY_TOOLS - toolNames.length }, (_, index) =>
  tool({
    ...{ name: `write_page_${index}`, description: `Writes page ${index} of the handbook.`, input: toolInputs[0]! },
    run: readPart,
  }),
)

export const agentKey = (id: string) => ({ tenant: 'bench', agent: 'bench', id })

/** Microseconds from one request of the model to the next: all that is not the model. */
export const stepTimes = ({ askedAt }: InstantModel): number[] => differences(askedAt).map((ms) => ms * 1_000)

/** Processor time per step, for each 200 steps of the turn, in microseconds. */
export const stepCpu = ({ askedCpu }: InstantModel): number[] => differences(askedCpu).map((us) => us / CPU_STEPS)

const differences = (values: readonly number[]): number[] =>
  values.slice(1).map((value, index) => value - values[index]!)

export const p50 = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** User and system time of this process while something runs, in microseconds. */
export const cpuOf = async <T>(act: () => Promise<T>): Promise<{ cpuUs: number; value: T }> => {
  const before = process.cpuUsage()
  const value = await act()
  const { user, system } = process.cpuUsage(before)
  return { cpuUs: user + system, value }
}

export const folderBytes = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
