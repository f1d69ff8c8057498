import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { processesWhere } from '../process/process-table.ts'
import { SANDBOX_VARIABLE } from '../process/sandbox-processes.ts'
import { workspaceFile } from './folders/session-paths.ts'
import { RESOURCE_LIMITS } from './resources/resource-limits.ts'
import { launchRunner, type RunnerLaunch } from './runner-launch.ts'
import { type SandboxRecord, SandboxRecords } from './sandbox-records.ts'

/** A disk that is full when the record is written. */
class FullDiskRecords extends SandboxRecords {
  override write(_record: SandboxRecord): void {
    throw new Error('ENOSPC: no space left on device')
  }
}

const launched = (folder: string, id: string): RunnerLaunch => ({
  id,
  key: { tenant: 't', agent: 'claude', id },
  token: 'token',
  command: ['/bin/sleep', '600'],
  readOnly: [],
  env: {},
  engines: null,
  workspace: join(folder, 'workspace', id),
  dataFolder: folder,
  isolation: {
    notice: { requestedBackend: 'process', resolvedBackend: 'process', isolation: 'none' },
    isContained: false,
  },
  bwrap: undefined,
  network: 'none',
  limits: RESOURCE_LIMITS,
  cgroup: null,
  startMs: 60_000,
  orphanMs: 60_000,
  bornAt: 0,
})

test.skipIf(!existsSync('/proc/self/environ'))(
  '[O15] a runner whose record cannot be written is ended, and nothing of it is left (skipped without /proc)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bridle-launch-'))
    const ids = [1, 2, 3].map((number) => `box-000000000000000${number}`)
    const records = new FullDiskRecords(join(folder, 'sandboxes'))
    try {
      const outcomes = await Promise.allSettled(ids.map((id) => launchRunner(launched(folder, id), records)))
      const reason = new Error("The sandbox's runner did not start: ENOSPC: no space left on device.")
      expect(outcomes).toEqual(ids.map(() => ({ status: 'rejected', reason })))
      const marks = ids.map((id) => `${SANDBOX_VARIABLE}=${id}`)
      expect(processesWhere((environment) => marks.some((mark) => environment.includes(mark)))).toEqual([])
      expect(readdirSync(join(folder, 'sandboxes'))).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test('[O71] a folder that was replaced by a link since the session began is not worked in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-launch-'))
  try {
    const wanted = launched(folder, 'box-0000000000000001')
    const place = join(realpathSync(folder), 'project')
    mkdirSync(wanted.workspace, { recursive: true })
    writeFileSync(workspaceFile(wanted.workspace), JSON.stringify({ kind: 'in_place', path: place }))
    const records = new SandboxRecords(join(folder, 'sandboxes'))
    await expect(launchRunner(wanted, records)).rejects.toThrow(/is gone or was replaced/)
    symlinkSync('/etc', place)
    await expect(launchRunner(wanted, records)).rejects.toThrow(/is gone or was replaced/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
