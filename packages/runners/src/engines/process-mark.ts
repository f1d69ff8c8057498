// An engine's commands lead process groups and sessions of their own, and outlive it when it is killed. All of them
// inherit its environment, so a mark in there finds them even when they have another parent.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { kill, processesWhere, startTimeOf } from '../process/process-table.ts'

/** A process may start another one during the search. Each round kills what the last one missed. */
const MARK_ROUNDS = 5
/** A killed process is gone within milliseconds unless the kernel is busy with it. */
const MARK_ENDING_MS = 1_000

const NAME = 'BRIDLE_ENGINE_MARK'

export interface ProcessMark {
  readonly env: { readonly [NAME]: string }
  /** The processes that carry it. */
  processes(): readonly number[]
  /** Kills every process with this mark, and with this variable if one is named. Finds none without /proc. */
  killProcesses(variable?: string): Promise<void>
}

export const newProcessMark = (): ProcessMark => {
  const value = randomUUID()
  const isMarked = (environment: readonly string[], variable?: string) =>
    environment.includes(`${NAME}=${value}`) &&
    (variable === undefined || environment.some((entry) => entry.startsWith(`${variable}=`)))
  return {
    env: { [NAME]: value },
    processes: () => processesWhere((environment) => isMarked(environment)),
    killProcesses: async (variable) => {
      for (let round = 0; round < MARK_ROUNDS; round++) {
        const found = processesWhere((environment) => isMarked(environment, variable))
        if (found.length === 0) return
        for (const pid of found) kill(pid)
        await Promise.all(found.map(waitForExit))
      }
    },
  }
}

const waitForExit = async (pid: number): Promise<void> => {
  for (let waitedMs = 0; waitedMs < MARK_ENDING_MS && startTimeOf(pid) !== null; waitedMs += 5) await sleep(5)
}
