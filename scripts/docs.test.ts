import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventsPage, regeneratePage } from './docs.ts'

test('docs/protocol/events.md is what `npm run docs` writes', () => {
  const page = readFileSync(eventsPage, 'utf8')
  expect(page).toBe(regeneratePage(page))
})
