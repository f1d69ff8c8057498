// The options that Claude Code is started with, against a stand-in for its SDK.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claudeEngine } from './claude.ts'
import { claudeDescription } from './description.ts'

const SDK = `
export const seen = []
export const query = ({ options }) => {
  seen.push(options)
  return { close() {}, async *[Symbol.asyncIterator]() {} }
}
`

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bridle-claude-options-'))
  const at = join(root, 'node_modules', claudeDescription.packageName)
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'package.json'), JSON.stringify({ name: claudeDescription.packageName, version: '0.0.0' }))
  writeFileSync(join(at, 'sdk.mjs'), SDK)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('[EN20] [EN30] instructions are never recorded with the conversation, so that a resumed one gets the current ones', async () => {
  const [work, state, own] = ['work', 'state', 'own'].map((name) => join(root, name)) as [string, string, string]
  const folders = { workFolder: work, stateFolder: state, privateFolder: own }
  const launcher = async () => ({ start: () => expect.unreachable(), baseUrl: 'http://127.0.0.1:9' })
  const engine = claudeEngine({ BRIDLE_ENGINES: root })
  const open = (more: object) => engine.open({ ...folders, launcher, resume: null, settings: {}, ...more })
  const settings = { model: 'opus', effort: 'high' }
  for (const session of [await open({ instructions: 'Be brief.', settings }), await open({})]) await session.close()
  const sdk = pathToFileURL(join(root, 'node_modules', claudeDescription.packageName, 'sdk.mjs')).href
  const { seen } = (await import(sdk)) as { seen: { systemPrompt: object; model?: string; effort?: string }[] }
  const preset = { type: 'preset', preset: 'claude_code', snapshot: false }
  expect(seen.map(({ systemPrompt, model, effort }) => [systemPrompt, model, effort])).toEqual([
    [{ ...preset, append: 'Be brief.' }, 'opus', 'high'],
    [preset, undefined, undefined],
  ])
})
