import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { callsFile, clientCalls } from './client-calls.ts'
import { eventsPage, regeneratePage } from './docs.ts'

test('docs/protocol/events.md is what `npm run docs` writes', () => {
  const page = readFileSync(eventsPage, 'utf8')
  expect(page).toBe(regeneratePage(page))
})

test('the calls of the client are what `npm run docs` writes', () => {
  expect(readFileSync(callsFile, 'utf8')).toBe(clientCalls())
})
