// The real Claude Code in the real sandbox: its commands cannot reach it, and end with their turn.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '../../../../../scripts/needs.ts'
import { engineFolders } from '../../sandboxes/isolation/runner-command.ts'
import { caller } from '../../server/runner.suite.ts'
import { SandboxRunner } from '../../server/sandbox-runner.ts'
import { engineEnv, engines, noEngines } from '../engines.suite.ts'
import { type AnthropicStub, startAnthropicStub, stubbed } from './anthropic-stub.suite.ts'
import { claudeEngine } from './claude.ts'

describe.skipIf(noEngines !== null || needs('bubblewrap') !== null)('Claude Code in bubblewrap', () => {
  let stub: AnthropicStub
  let folder: string
  let runner: SandboxRunner
  beforeAll(async () => {
    stub = await startAnthropicStub()
    folder = mkdtempSync(join(tmpdir(), 'bridle-claude-walls-'))
    const readOnly = 'folder' in engines ? engineFolders(engines.folder) : []
    runner = await SandboxRunner.start({
      engines: [claudeEngine({ ...process.env, ...engineEnv(), IS_SANDBOX: '1' })],
      workFolder: join(folder, 'work'),
      stateFolder: join(folder, 'state'),
      isolation: { backend: 'bubblewrap', folder: join(folder, 'run'), readOnly, hidden: [] },
      env: { ANTHROPIC_API_KEY: 'the-real-key', ANTHROPIC_BASE_URL: stub.url },
    })
  })
  afterAll(async () => {
    await runner?.close()
    await stub?.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })

  test('[R24] [O145] a command cannot reach the engine, and what it leaves ends with its turn', async () => {
    let resume: string | undefined
    const play = async (command: string) => {
      const bash = { tool_use: 'Bash', id: `toolu_${command.length}`, input: { command, description: 'x' } }
      const prompt = stubbed({ blocks: [bash] }, { blocks: [{ text: 'Done.' }] })
      const settings = { permission_mode: 'bypassPermissions' }
      const reading = await caller(runner.url).query({ prompt, settings, ...(resume && { resume }) })
      const end = await reading.end
      expect(end).toMatchObject({ type: 'run.completed', result: 'Done.' })
      if (end?.type === 'run.completed') resume = end.resume
      return reading.events().flatMap((event) => {
        if (event.type === 'context.warning') return [event.message]
        return event.type === 'tool.completed' ? [event.outcome.result] : []
      })
    }
    const look =
      '(ls /proc/1/fd /proc/2/fd; cat /proc/2/environ /proc/2/maps; readlink /proc/2/exe) 2>/dev/null | wc -l'
    const open = '(exec 3<>/proc/2/mem) 2>/dev/null && echo open || echo closed'
    expect(await play(`${look}; ${open}; tr '\\0' '\\n' < /proc/2/cmdline | grep -q claude && echo claude`)).toEqual([
      '0\nclosed\nclaude',
    ])
    expect(await play('setsid env -i sleep 1000 > /dev/null 2>&1 & echo started')).toEqual([
      'started',
      '1 background command was stopped when the turn ended.',
    ])
    // Only the engine, this command and its pipe are there.
    expect(await play('grep -l sleep /proc/[0-9]*/comm; echo none')).toEqual(['none'])
  })
})
