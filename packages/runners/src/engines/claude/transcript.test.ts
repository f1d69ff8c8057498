import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { countTranscriptMessages } from './transcript.ts'

const folder = mkdtempSync(join(tmpdir(), 'bridle-transcript-'))
const outside = mkdtempSync(join(tmpdir(), 'bridle-outside-'))
afterAll(() => {
  for (const each of [folder, outside]) rmSync(each, { recursive: true, force: true })
})
const write = (name: string, ...lines: (object | string)[]): string => {
  const file = name.startsWith('/') ? name : join(folder, name)
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
  return file
}
const user = (uuid: string, more: object = {}) => ({ type: 'user', uuid, message: { role: 'user' }, ...more })
const model = (uuid: string, id: string) => ({ type: 'assistant', uuid, message: { id } })

test('[R3] counts messages, each block of one once, and no notes', async () => {
  const file = write(
    'a.jsonl',
    user('1'),
    model('2', 'm1'),
    model('3', 'm1'),
    user('4', { isMeta: true }),
    { type: 'summary' },
    model('5', 'm2'),
    user('6', { isSidechain: true }),
    '{"type":"us',
  )
  expect(await countTranscriptMessages(file, folder)).toBe(3)
})

test('[R3] from the last compaction on: its summary is a message', async () => {
  const boundary = { type: 'system', subtype: 'compact_boundary', uuid: 'b' }
  const file = write('b.jsonl', user('1'), model('2', 'm1'), boundary, user('3', { isCompactSummary: true }), user('4'))
  expect(await countTranscriptMessages(file, folder)).toBe(2)
})

test('[R3] a file elsewhere is not read, nor one that is not there', async () => {
  const secret = write(join(outside, 'secret.jsonl'), user('1'))
  symlinkSync(secret, join(folder, 'link.jsonl'))
  for (const file of [secret, join(folder, 'link.jsonl'), join(folder, 'none.jsonl'), folder])
    expect(await countTranscriptMessages(file, folder)).toBeNull()
})
