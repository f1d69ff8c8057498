import { expect, test } from 'vitest'
import { helloCommand } from './hello-command.ts'

test.each([
  ['http://127.0.0.1:4317/', undefined, 'npx bridle run scripted Hello'],
  ['http://127.0.0.1:4501/', undefined, 'npx bridle run --url=http://127.0.0.1:4501 scripted Hello'],
  [
    'https://example.org/bridle/',
    'acme',
    'npx bridle run --url=https://example.org/bridle --tenant=acme scripted Hello',
  ],
])('the first command reaches the server of the page: %s', (serverUrl, tenantId, text) => {
  expect(helloCommand({ serverUrl, tenantId })).toBe(text)
})
