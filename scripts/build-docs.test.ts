import { expect, test } from 'vitest'
import { packedPages } from './build-docs.ts'

test('a link to a page that stays behind, or out of docs, becomes its words', () => {
  const pages = new Map([
    [
      'client.md',
      'See [the wire](protocol/http.md#h1), [why](decisions/0001-x.md), [here](#top), [them](https://x.example/a).',
    ],
    ['protocol/http.md', '[Clients](../client.md), [the example](../../examples/chat), [the map](../architecture.md).'],
    ['architecture.md', 'The map.'],
    ['decisions/0001-x.md', 'Why.'],
  ])
  expect([...packedPages(pages)]).toEqual([
    ['client.md', 'See [the wire](protocol/http.md#h1), why, [here](#top), [them](https://x.example/a).'],
    ['protocol/http.md', '[Clients](../client.md), the example, the map.'],
  ])
})
