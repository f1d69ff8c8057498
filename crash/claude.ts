// The real Claude Code in a sandbox of the server, and a stub of its provider.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fetchPinned } from '../scripts/pinned-tools.ts'
import type { FaultEquipment } from './faults.ts'

const SANDBOX_PROGRAM = 'bwrap'

/** Null where the engine is there, or can be fetched. */
export const noClaudeCode = (): string | null => {
  const engines = fetchPinned('apps/sandbox', 'engines')
  return 'missing' in engines ? engines.missing : null
}

export const claudeEquipment = async (folder: string): Promise<FaultEquipment> => {
  const engines = fetchPinned('apps/sandbox', 'engines')
  if ('missing' in engines) throw new Error(engines.missing)
  const { startAnthropicStub } = await import('@bridle/runners/engines/claude/anthropic-stub.suite')
  const { endSandboxes } = await import('@bridle/runners/engines/engines.suite')
  const stub = await startAnthropicStub()
  const hasWalls = spawnSync(SANDBOX_PROGRAM, ['--version']).status === 0
  return {
    env: {
      BRIDLE_ENGINES: engines.folder,
      ANTHROPIC_API_KEY: 'the-real-key',
      ANTHROPIC_BASE_URL: stub.url,
      ...(!hasWalls && { BRIDLE_SANDBOX: 'process' }),
    },
    note: hasWalls ? 'Here it worked in bubblewrap.' : 'Here it worked without walls.',
    remove: () => {
      endSandboxes(join(folder, 'data'))
      void stub.close()
    },
  }
}
