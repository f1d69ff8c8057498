// A sandbox on this machine: its record, the health of its runner, and its end.
import { statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProcesses, processStatus } from '../process/sandbox-processes.ts'
import type { RunnerHealth } from '../protocol/protocol.ts'
import type { RunnerFetch } from '../remote/provider.ts'
import { unixSocketFetch } from '../remote/unix-socket-fetch.ts'
import { askHealth, askToStop } from './runner-calls.ts'
import { OUTPUT_FILE, socketPathOf } from './runner-launch.ts'
import type { SandboxRecord } from './sandbox-records.ts'

/** A busy machine may answer late once; three times in a row the runner is dead. */
const HEALTH_TRIES = 3
/** Killed processes are gone within milliseconds; a kernel that writes a full disk takes seconds. */
const KILLED_MS = 5_000
/** The output of a runner is for an operator who looks at the end of it. Larger files are emptied. */
const OUTPUT_BYTES_MAX = 8 * 1024 * 1024

/** A placeholder: requests go to the runner's socket, not to this host. */
export const RUNNER_URL = 'http://runner'

export type LocalSandbox = ReturnType<typeof adoptSandbox>

/** `folder` is the folder of the sandbox, which has the socket of its runner. */
export const adoptSandbox = (record: SandboxRecord, folder: string, now: number) => ({
  record,
  fetchRunner: unixSocketFetch(socketPathOf(folder)),
  usedAt: now,
  /** True once this process used the sandbox; the reaper ends only sandboxes of earlier processes. */
  isAcquiredHere: false,
  answeredAt: 0,
  ending: null as Promise<void> | null,
  /** Called when nothing in it can write in a folder of a person any more; null = nothing can. */
  endWriting: null as (() => void) | null,
})

export const healthOf = (
  { fetchRunner }: Pick<LocalSandbox, 'fetchRunner'>,
  timeoutMs: number,
): Promise<RunnerHealth | null> => askHealth(RUNNER_URL, timeoutMs, fetchRunner)

/** Null: the process has ended, or its runner does not answer several times in a row. */
export const healthWithRetries = async (box: LocalSandbox, timeoutMs: number): Promise<RunnerHealth | null> => {
  for (let tries = 1; processStatus(box.record) !== 'gone'; tries++) {
    const health = await healthOf(box, timeoutMs)
    if (health || tries === HEALTH_TRIES) return health
    await sleep(200)
  }
  return null
}

/** Requests a stop, then kills. The request carries the token, so only a process that is certainly ours gets it. */
export const endSandbox = async (
  record: SandboxRecord,
  { fetchRunner, token, stopMs }: { fetchRunner: RunnerFetch | null; token: string; stopMs: number },
): Promise<void> => {
  const isStopping =
    fetchRunner !== null &&
    processStatus(record) !== 'gone' &&
    (await askToStop(RUNNER_URL, token, stopMs, fetchRunner))
  for (let waitedMs = 0; isStopping && waitedMs < stopMs && processStatus(record) !== 'gone'; waitedMs += 20)
    await sleep(20)
  await endProcesses(record, record.id, KILLED_MS)
}

/** The runner appends to its output, so the file can be emptied at any time. */
export const truncateOutput = (folder: string): void => {
  const file = join(folder, OUTPUT_FILE)
  try {
    if (statSync(file).size > OUTPUT_BYTES_MAX) truncateSync(file)
  } catch {
    // The file was removed with its sandbox.
  }
}
