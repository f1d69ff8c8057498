import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claudeDescription } from './claude/description.ts'
import { notInstalledMessage } from './engine-install.ts'

let checkout: string
beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'bridle-checkout-'))
})
afterAll(() => rmSync(checkout, { recursive: true, force: true }))

const hint = (cwd: string, env: NodeJS.ProcessEnv = {}, isSource = true) =>
  notInstalledMessage(claudeDescription, env, { cwd, checkout: isSource ? checkout : null })

test('[C304] a project installs an engine with npm, also one that runs the source of a checkout', () => {
  const sentence = 'Claude Code is not installed. Run: npm install @anthropic-ai/claude-agent-sdk'
  expect(hint('/home/me/project', {}, false)).toBe(sentence)
  expect(hint('/home/me/project')).toBe(sentence)
  expect(hint(`${checkout}-beside-it`)).toBe(sentence)
})

test('[C304] a checkout installs the pinned engines, by the path from where the person stands', () => {
  expect(hint(checkout)).toBe(
    'Claude Code is not installed. Run: (cd apps/sandbox && npm ci) and then start with BRIDLE_ENGINES=apps/sandbox',
  )
  expect(hint(join(checkout, 'examples', 'hello'))).toBe(
    'Claude Code is not installed. Run: (cd ../../apps/sandbox && npm ci) and then start with BRIDLE_ENGINES=../../apps/sandbox',
  )
  expect(hint(checkout, { BRIDLE_ENGINES: 'apps/sandbox' })).toBe(
    'Claude Code is not installed. Run: (cd apps/sandbox && npm ci)',
  )
})

test('[C304] engines that are there and not named need a variable alone', () => {
  const there = join(checkout, 'apps/sandbox/node_modules', claudeDescription.packageName)
  mkdirSync(there, { recursive: true })
  expect(hint(checkout)).toBe(
    'Claude Code is in apps/sandbox, and was not looked for there: start with BRIDLE_ENGINES=apps/sandbox',
  )
})
