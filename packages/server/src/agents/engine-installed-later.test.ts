// An engine that is installed while the server runs.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentList } from '@bridle/wire/http/wire'
import { expect, test } from 'vitest'
import { HarnessServer } from '../node/index.ts'

test('[H75] its version and its needs change together', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-later-'))
  const env = { BRIDLE_ENGINES: folder, BRIDLE_SANDBOX: 'process', PATH: process.env.PATH }
  const server = await HarnessServer.start({ port: 0, data: join(folder, 'data'), env, log: () => {} })
  const claude = async () => {
    const { agents } = (await (await fetch(`${server.url}/agents`)).json()) as AgentList
    const { needs = '', capabilities } = agents.find(({ name }) => name === 'claude') ?? {}
    return [capabilities?.version, needs.includes('is not installed') ? 'engine' : 'key']
  }
  try {
    expect(await claude()).toEqual(['not installed', 'engine'])
    const engine = join(folder, 'node_modules/@anthropic-ai/claude-agent-sdk')
    mkdirSync(engine, { recursive: true })
    writeFileSync(join(engine, 'package.json'), '{ "version": "9.9.9" }')
    const rows: unknown[] = []
    await expect
      .poll(async () => {
        rows.push(await claude())
        return rows.at(-1)
      })
      .toEqual(['9.9.9', 'key'])
    expect(rows.slice(0, -1).every((row) => String(row) === 'not installed,engine')).toBe(true)
  } finally {
    await server.close()
    rmSync(folder, { recursive: true })
  }
})
