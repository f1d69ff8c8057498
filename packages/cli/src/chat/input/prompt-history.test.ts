import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { historyFile, openHistory } from './prompt-history.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-history-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('[C196] prompts are kept for the next chat, for this user alone', () => {
  const file = historyFile({ XDG_STATE_HOME: folder })
  expect(file).toBe(join(folder, 'bridle', 'chat-history'))
  const [one, two] = [openHistory(file), openHistory(file)]
  one.add('first')
  two.add('second\nline')
  one.add('first')
  one.add(' secret behind a space')
  one.add('   ')
  one.add('x'.repeat(30_000))
  expect(openHistory(file).entries).toEqual(['first', 'second\nline'])
  expect([statSync(file).mode & 0o777, statSync(join(folder, 'bridle')).mode & 0o777]).toEqual([0o600, 0o700])
})

test('[C196] the history is bounded, and broken lines cost nothing', () => {
  const file = join(folder, 'h')
  writeFileSync(file, Array.from({ length: 1_000 }, (_, at) => JSON.stringify(`p${at}`)).join('\n'))
  appendFileSync(file, '\n{"a":1}\nnot json\n"cut')
  const history = openHistory(file)
  expect([history.entries.length, history.entries.at(-1)]).toEqual([500, 'p999'])
  appendFileSync(file, '\n')
  history.add('new')
  expect(history.entries.length).toBe(500)
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThanOrEqual(501)
  expect(openHistory(file).entries.at(-1)).toBe('new')
})

test('[C196] a folder that cannot be written costs the history and nothing else', () => {
  writeFileSync(join(folder, 'file'), '')
  const history = openHistory(join(folder, 'file', 'below', 'h'))
  history.add('kept for now')
  expect(history.entries).toEqual(['kept for now'])
})
