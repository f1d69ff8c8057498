// The processes of a sandbox: the one that was started, and all that carry the sandbox's id in their environment.

import { setTimeout as sleep } from 'node:timers/promises'
import { kill, processesInside, processesWhere, startTimeOf } from './process-table.ts'

/** A process may start another one during the search. Each round kills what the last one missed. */
const STRAY_ROUNDS = 5

export interface ProcessIdentity {
  readonly pid: number
  /** The start time of the process; null = this system does not report it. */
  readonly startedAt: string | null
}

export const SANDBOX_VARIABLE = 'BRIDLE_SANDBOX_ID'

/** Unknown where a process has this number and the record has no start time to compare. */
export const processStatus = ({ pid, startedAt }: ProcessIdentity): 'alive' | 'gone' | 'unknown' => {
  const there = startTimeOf(pid)
  if (there === null || (startedAt !== null && there !== startedAt)) return 'gone'
  return startedAt === null ? 'unknown' : 'alive'
}

/** Ends the process, its group, and every process that the sandbox started. True = all of them are gone. */
export const endProcesses = async (name: ProcessIdentity, sandboxId: string, timeoutMs: number): Promise<boolean> => {
  const mark = `${SANDBOX_VARIABLE}=${sandboxId}`
  for (let waitedMs = 0; ; waitedMs += 20) {
    const isAlive = processStatus(name) === 'alive'
    if (isAlive) kill(-name.pid)
    const rest = processesWhere((environment) => environment.includes(mark))
    for (const pid of rest) kill(pid)
    if (!isAlive && rest.length === 0) return processStatus(name) === 'gone'
    if (waitedMs >= timeoutMs) return false
    await sleep(20)
  }
}

/** Without walls a process can hide from everything but the folder that it works in. A person's shell there is left alone. */
export const endStrayProcesses = (folder: string): void => {
  for (let round = 0; round < STRAY_ROUNDS; round++) {
    const strays = processesInside([folder])
    if (strays.length === 0) return
    for (const pid of strays) kill(pid)
  }
}
