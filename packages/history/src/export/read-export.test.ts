// Long files are read in slices: everybody else gets a turn between two of them.

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { EXPORT_SLICE_CHARS } from './pace.ts'
import { readExport } from './read-export.ts'

/** A file with three sessions of so many long texts. */
const longFile = (texts: number): string => {
  const lines = ['{"bridle":"export","version":1,"created_by":"bridle"}']
  for (const id of ['a', 'b', 'c']) {
    lines.push(JSON.stringify({ session: { id, agent: 'coder', kind: 'chat' } }))
    lines.push(JSON.stringify({ seq: 1, at: 1, type: 'session_created', payload: { kind: 'chat', agent: 'coder' } }))
    for (let seq = 2; seq < texts + 2; seq++)
      lines.push(JSON.stringify({ seq, at: seq, type: 'token', payload: { text: 'é'.repeat(1_000) } }))
  }
  const body = `${lines.join('\n')}\n`
  const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`
  return `${body}${JSON.stringify({ end: { sessions: 3, entries: 3 * (texts + 1), digest } })}\n`
}

/** How often the loop came round while the work was done. */
const turnsDuring = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work().finally(() => {
    isOver = true
  })
  return turns
}

test('[X68] a long file is read in slices, as text and as bytes', async () => {
  const text = longFile(400)
  const slices = Math.floor(text.length / EXPORT_SLICE_CHARS)
  expect(slices).toBeGreaterThan(5)
  for (const file of [text, new TextEncoder().encode(text)]) {
    const turns = await turnsDuring(async () => {
      const { sessions } = await readExport(file)
      expect(sessions.map(({ session, entries }) => [session.id, entries.length])).toEqual([
        ['a', 401],
        ['b', 401],
        ['c', 401],
      ])
    })
    expect(turns).toBeGreaterThanOrEqual(slices)
  }
})

test.each([
  ['bytes that are no text', Uint8Array.of(0x7b, 0xff, 0xfe, 0x0a), /^Line 1: The line is not text/],
  ['bytes without a line', Uint8Array.of(0x89, 0x50, 0x4e, 0x47), /^Line 1: The line is not text/],
  [
    'a file that ends within a character',
    Uint8Array.of(...new TextEncoder().encode('{"bridle":"export","version":1,"created_by":"'), 0xc3),
    /^Line 1: The file is cut off/,
  ],
  ['a line without an end', new TextEncoder().encode('{"bridle":"export"'), /^Line 1: The file is cut off/],
  ['a first line that ends early', '{"bri', /^Line 1: The file is cut off/],
  ['a second line without an end', '{"bridle":"export","version":1}\n{"a":1}', /^Line 2: The file is cut off/],
  ['a text without an end', 'hello', /^Line 1: This is no export of a session/],
  ['other JSON without an end', new TextEncoder().encode('{"a":1}'), /^Line 1: This is no export of a session/],
  ['other bytes that end within a character', Uint8Array.of(0x22, 0xc3), /^Line 1: This is no export of a session/],
  [
    'a head without a version',
    new TextEncoder().encode('{"bridle":"export"}\n'),
    /^Line 1: The first line has no version/,
  ],
  [
    'a head with a version that is no number',
    new TextEncoder().encode('{"bridle":"export","version":"x"}\n'),
    /^Line 1: The first line has no version/,
  ],
  [
    'a newer format',
    new TextEncoder().encode('{"bridle":"export","version":2}\n'),
    /^Line 1: The file has version 2, and this program reads version 1. Use a newer program\.$/,
  ],
  [
    'a mark of byte order',
    new TextEncoder().encode('\ufeff{"bridle":"export"}\n'),
    /^Line 1: This is no export of a session/,
  ],
  ['half a character at the end of a line', Uint8Array.of(0x22, 0xc3, 0x0a), /^Line 1: The line is not text/],
])('[X11] %s', async (_name, file, words) => {
  await expect(readExport(file)).rejects.toThrow(words)
})
